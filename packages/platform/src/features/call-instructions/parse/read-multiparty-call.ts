import { defaultStatusCallbackEvents, streamContentTypes } from '@jackfield/contract';
import { quoted } from '@jackfield/ports';
import type { ActionRequest, MultiPartyCall } from '../domain/instruction.ts';
import {
  type Attributes,
  attributesOf,
  isHttpUrl,
  isWebSocketUrl,
  listed,
  webSocketUrlAllowed,
} from './attributes.ts';
import { bodyOf, type ElementReader } from './contents.ts';
import { extraHeadersOf } from './read-stream.ts';
import { readTranscript } from './read-transcript.ts';
import type { Reading } from './reading.ts';
import type { XmlElement } from './xml-tree.ts';

const eventGroups = [
  'mpc-state-changes',
  'participant-state-changes',
  'participant-speak-events',
  'participant-digit-input-events',
  'add-participant-api-events',
  'participant-audio-events',
];
const eventGroup = `(?:${eventGroups.join('|')})`;
const eventsRule = {
  pattern: new RegExp(`^${eventGroup}(?:\\s*,\\s*${eventGroup})*$`),
  allowed: `a comma-separated list of ${eventGroups.join(', ')}`,
} as const;

const aiAgentAttributes = [
  'aiAgentStreamServiceUrl',
  'aiAgentStreamContentType',
  'aiAgentStreamSamplingRate',
  'aiAgentStreamExtraHeaders',
  'aiAgentStreamStatusCallbackUrl',
  'aiAgentStreamStatusCallbackMethod',
];

/** Names are parts of paths of the API: they hold no slash. */
const namePattern = /^[^/\p{Cc}\p{Cs}]{1,100}$/u;

export const readMultiPartyCall: ElementReader<MultiPartyCall> = (element, reading) => {
  const attributes = attributesOf(element, reading);
  if (!attributes.has('role')) {
    reading.refuse(
      element.line,
      '<MultiPartyCall> must have the attribute role: Agent, Supervisor, Customer or ai-agent',
    );
  }
  const statusCallback = attributes.request('statusCallbackUrl', 'statusCallbackMethod');
  const events = attributes.text('statusCallbackEvents', eventsRule) ?? defaultStatusCallbackEvents;
  const role = attributes.oneOf('role', ['agent', 'supervisor', 'customer', 'ai-agent'], 'customer');
  const waitSeconds = attributes.integer('waitTime', { min: 0, max: 1800, byDefault: null });
  const call = {
    element: 'MultiPartyCall',
    role,
    coachMode: attributes.flag('coachMode', true),
    mute: attributes.flag('mute', false),
    hold: attributes.flag('hold', false),
    stayAlone: attributes.flag('stayAlone', false),
    startMpcOnEnter: attributes.flag('startMpcOnEnter', true),
    endMpcOnExit: attributes.flag('endMpcOnExit', false),
    maxDurationSeconds: attributes.integer('maxDuration', { min: 300, max: 28_800, byDefault: 14_400 }),
    maxParticipants: attributes.integer('maxParticipants', { min: 2, max: 10, byDefault: 10 }),
    recordMinMemberCount: attributes.integer('recordMinMemberCount', { min: 1, max: 2, byDefault: 1 }),
    waitForAgent: attributes.flag('waitForAgent', false),
    // 0 means no limit.
    waitSeconds: waitSeconds === 0 ? null : waitSeconds,
    relayDtmfInputs: attributes.flag('relayDTMFInputs', false),
    enterSound: readSound(attributes, 'enterSound', 'beep:1'),
    exitSound: readSound(attributes, 'exitSound', 'beep:2'),
    statusCallback: statusCallback && { ...statusCallback, events: events.replace(/\s/g, '') },
    recordingCallback: attributes.request('recordingCallbackUrl', 'recordingCallbackMethod'),
    recording: readRecording(attributes, reading),
    music: {
      wait: readSource(attributes, 'waitMusicUrl', 'waitMusicMethod'),
      agentHold: readSource(attributes, 'agentHoldMusicUrl', 'agentHoldMusicMethod'),
      customerHold: readSource(attributes, 'customerHoldMusicUrl', 'customerHoldMusicMethod'),
    },
    onExitAction: attributes.request('onExitActionUrl', 'onExitActionMethod', 'action'),
  } as const;
  const agent = role === 'ai-agent' ? readAgent(attributes) : refuseAgent(attributes);
  attributes.end();
  const name = readName(bodyOf(element, reading), element, reading);
  return { ...call, name, ...(agent === undefined ? {} : { agent }) };
};

function readName(body: string, element: XmlElement, reading: Parameters<typeof bodyOf>[1]): string {
  if (!namePattern.test(body)) {
    reading.refuse(
      element.line,
      `<MultiPartyCall> must hold the name of the call, 1 to 100 characters without slashes and control characters, not ${quoted(body)}`,
    );
  }
  return body;
}

function readSound(
  attributes: Attributes,
  name: 'enterSound' | 'exitSound',
  byDefault: 'beep:1' | 'beep:2',
): MultiPartyCall['enterSound'] {
  const method = attributes.oneOf(`${name}Method`, ['GET', 'POST'], 'GET');
  const value = attributes.text(name);
  if (value !== null && isHttpUrl(value)) return { url: value, method };
  const lower = value?.toLowerCase() ?? byDefault;
  if (lower === 'beep:1' || lower === 'beep:2' || lower === 'none') return lower;
  attributes.refuse(name, 'beep:1, beep:2, none or a URL');
  return byDefault;
}

function readRecording(attributes: Attributes, reading: Reading): MultiPartyCall['recording'] {
  const transcript = readTranscript(attributes, attributes.flag('transcript', false), reading);
  return {
    wholeCall: attributes.flag('record', false),
    eachParticipant: attributes.flag('recordParticipantTrack', false),
    format: attributes.oneOf('recordFileFormat', ['mp3', 'wav'], 'mp3'),
    coachVoice: attributes.flag('recordCoachVoice', true),
    startSound: readSource(attributes, 'startRecordingAudio', 'startRecordingAudioMethod'),
    stopSound: readSource(attributes, 'stopRecordingAudio', 'stopRecordingAudioMethod'),
    transcript,
  };
}

/** Sounds are requested with GET (docs/interface/multiparty-calls.md#the-element), unlike callbacks. */
function readSource(attributes: Attributes, name: string, methodName: string): ActionRequest | null {
  const url = attributes.url(name);
  const method = attributes.oneOf(methodName, ['GET', 'POST'], 'GET');
  return url === null ? null : { url, method };
}

function refuseAgent(attributes: Attributes): undefined {
  for (const name of aiAgentAttributes) {
    if (attributes.text(name) !== null) attributes.refuse(name, 'left out: it is for the role ai-agent');
  }
}

function readAgent(attributes: Attributes): NonNullable<MultiPartyCall['agent']> {
  const url = attributes.text('aiAgentStreamServiceUrl');
  if (url === null || !isWebSocketUrl(url)) attributes.refuse('aiAgentStreamServiceUrl', webSocketUrlAllowed);
  const types = [...streamContentTypes, 'audio/x-l16', 'audio/x-mulaw'] as const;
  const type = attributes.oneOf('aiAgentStreamContentType', types, 'audio/x-l16;rate=8000');
  const rate = attributes.integer('aiAgentStreamSamplingRate', { min: 8_000, max: 24_000, byDefault: null });
  const requested = `${type.split(';', 1)[0]};rate=${rate ?? type.split('rate=')[1] ?? 8_000}`;
  const contentType = streamContentTypes.find((each) => each === requested);
  if (contentType === undefined) {
    attributes.refuse(
      'aiAgentStreamSamplingRate',
      `a rate that makes one of ${listed(streamContentTypes, 'and')}`,
    );
  }
  if (attributes.has('onExitActionUrl')) {
    attributes.refuse('onExitActionUrl', 'left out where role is ai-agent: the document goes on at once');
  }
  return {
    serviceUrl: url ?? '',
    contentType: contentType ?? streamContentTypes[0],
    extraHeaders: extraHeadersOf(attributes, 'aiAgentStreamExtraHeaders'),
    statusCallback: attributes.request('aiAgentStreamStatusCallbackUrl', 'aiAgentStreamStatusCallbackMethod'),
  };
}
