import { availableParallelism } from 'node:os';
import {
  asCidr,
  asCount,
  asList,
  asOneOf,
  asPattern,
  asPort,
  asPortRange,
  type PortRange,
} from './config-values.ts';
import type { ReadOrDefault } from './limit-variables.ts';

/** How the server carries audio. */
export interface MediaConfig {
  readonly rtpPorts: PortRange;
  /** Media threads; default one for each core but one, which the main thread has. */
  readonly mediaWorkers: number;
  /** Networks whose audio is accepted even when the signalling of the call names none of them. */
  readonly rtpSources?: readonly string[];
  /** The port of phones in browsers, over UDP and TCP; further media threads have the ports after it. `off` refuses their WebRTC. */
  readonly webrtcPort?: number | 'off';
  /** Whether WebRTC is also for unencrypted WebSockets from other machines. */
  readonly webrtcSignalling?: 'secure' | 'any';
  /** The codecs of browsers, the first one first. */
  readonly browserCodecs?: readonly BrowserCodec[];
  /** The operator's TURN server: its URLs, and the secret that it shares with us. */
  readonly turnUrls?: readonly string[];
  readonly turnSecret?: string;
  /** Whether the media thread has priority over others, where that is permitted; default `off`. */
  readonly mediaPriority?: 'auto' | 'off';
}

/** RFC 7065 §3.1. */
const turnUrl = /^turns?:[\w.[\]:-]{1,255}(?:\?transport=(?:udp|tcp))?$/;

type BrowserCodec = 'opus' | 'PCMU' | 'PCMA' | 'G722';

const usualBrowserCodecs: readonly BrowserCodec[] = ['opus', 'PCMU', 'PCMA', 'G722'];
const asCodecs = asList(asOneOf(...usualBrowserCodecs));

/** Each codec once. Every browser has Opus and G.711, and few have G.722 (RFC 7874 §3). */
function asBrowserCodecs(text: string): readonly BrowserCodec[] | undefined {
  const codecs = asCodecs(text);
  const isWhole = codecs !== undefined && new Set(codecs).size === codecs.length;
  return isWhole && codecs.some((codec) => codec !== 'G722') ? codecs : undefined;
}

function asPortOrOff(text: string): number | 'off' | undefined {
  if (text.toLowerCase() === 'off') return 'off';
  const port = asPort(text);
  return port === 0 ? undefined : port;
}

/** Pairs of RTP and RTCP ports in a range: RTP has the even ones. */
export function portPairs({ first, last }: PortRange): number {
  return Math.floor((last - first - (first % 2) + 1) / 2);
}

/** More threads than any machine has cores for. */
const mostWorkers = 256;

/** The variables of media. */
export const mediaVariables = {
  rtpPorts: {
    name: 'JACKFIELD_RTP_PORTS',
    allowed: 'a range of UDP ports from 1024 to 65535, such as 40000-40999',
    read: asPortRange,
  },
  mediaWorkers: {
    name: 'JACKFIELD_MEDIA_WORKERS',
    allowed: `a number from 1 to ${mostWorkers}`,
    read: asCount(mostWorkers),
  },
  rtpSources: {
    name: 'JACKFIELD_RTP_SOURCES',
    allowed: 'networks such as 10.0.0.0/8, separated by commas',
    read: asList(asCidr),
  },
  webrtcPort: {
    name: 'JACKFIELD_WEBRTC_PORT',
    allowed: 'a port from 1 to 65535, or off',
    read: asPortOrOff,
  },
  webrtcSignalling: {
    name: 'JACKFIELD_WEBRTC_SIGNALLING',
    allowed: 'secure or any',
    read: asOneOf('secure', 'any'),
  },
  browserCodecs: {
    name: 'JACKFIELD_BROWSER_CODECS',
    allowed: 'opus, PCMU, PCMA and G722, each at most once, separated by commas; G722 not alone',
    read: asBrowserCodecs,
  },
  turnUrls: {
    name: 'JACKFIELD_TURN_URLS',
    allowed: 'URLs such as turn:turn.example.com:3478, separated by commas',
    read: asList((text: string) => (turnUrl.test(text) ? text : undefined)),
  },
  turnSecret: {
    name: 'JACKFIELD_TURN_SECRET',
    allowed: '16 to 128 visible ASCII characters',
    read: asPattern(/^[!-~]{16,128}$/),
    secret: true,
  },
  mediaPriority: {
    name: 'JACKFIELD_MEDIA_PRIORITY',
    allowed: 'auto or off',
    read: asOneOf('auto', 'off'),
  },
} as const;

/** Absent without both; one alone is refused (config-contradictions.ts). */
function turnOf(orDefault: ReadOrDefault): Pick<MediaConfig, 'turnUrls' | 'turnSecret'> {
  const turnUrls = orDefault<readonly string[]>(mediaVariables.turnUrls, [], 'none');
  const turnSecret = orDefault(mediaVariables.turnSecret, '', 'none');
  return turnUrls.length === 0 || turnSecret === '' ? {} : { turnUrls, turnSecret };
}

/** Reads the configuration of media. */
export function readMedia(orDefault: ReadOrDefault): MediaConfig {
  const variables = mediaVariables;
  const rtpSources = orDefault<readonly string[]>(variables.rtpSources, [], 'none');
  const rtpPorts = orDefault(variables.rtpPorts, { first: 40_000, last: 40_999 }, '40000-40999');
  const usualWorkers = Math.max(1, Math.min(availableParallelism() - 1, portPairs(rtpPorts)));
  return {
    rtpPorts,
    mediaWorkers: orDefault(variables.mediaWorkers, usualWorkers, 'cores − 1, at least 1'),
    ...(rtpSources.length === 0 ? {} : { rtpSources }),
    webrtcPort: orDefault<number | 'off'>(variables.webrtcPort, 41_000),
    webrtcSignalling: orDefault(variables.webrtcSignalling, 'secure'),
    ...turnOf(orDefault),
    browserCodecs: orDefault(variables.browserCodecs, usualBrowserCodecs, usualBrowserCodecs.join()),
    mediaPriority: orDefault(variables.mediaPriority, 'auto'),
  };
}
