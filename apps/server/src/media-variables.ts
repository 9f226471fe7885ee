import { asCidr, asList, asOneOf, asPortRange, type PortRange } from './config-values.ts';
import type { ReadOrDefault } from './limit-variables.ts';

/** How the server carries audio. */
export interface MediaConfig {
  readonly rtpPorts: PortRange;
  /** Networks whose audio is accepted even when the signalling of the call names none of them. */
  readonly rtpSources?: readonly string[];
  /** Whether the media thread has priority over others, where that is permitted; default `off`. */
  readonly mediaPriority?: 'auto' | 'off';
}

/** The variables of media. */
export const mediaVariables = {
  rtpPorts: {
    name: 'JACKFIELD_RTP_PORTS',
    allowed: 'a range of UDP ports from 1024 to 65535, such as 40000-40999',
    read: asPortRange,
  },
  rtpSources: {
    name: 'JACKFIELD_RTP_SOURCES',
    allowed: 'networks such as 10.0.0.0/8, separated by commas',
    read: asList(asCidr),
  },
  mediaPriority: {
    name: 'JACKFIELD_MEDIA_PRIORITY',
    allowed: 'auto or off',
    read: asOneOf('auto', 'off'),
  },
} as const;

/** Reads the configuration of media. */
export function readMedia(orDefault: ReadOrDefault): MediaConfig {
  const variables = mediaVariables;
  const rtpSources = orDefault<readonly string[]>(variables.rtpSources, [], 'none');
  return {
    rtpPorts: orDefault(variables.rtpPorts, { first: 40_000, last: 40_999 }, '40000-40999'),
    ...(rtpSources.length === 0 ? {} : { rtpSources }),
    mediaPriority: orDefault(variables.mediaPriority, 'auto'),
  };
}
