import type { Record } from '../domain/instruction.ts';
import { attributesOf } from './attributes.ts';
import type { ElementReader } from './contents.ts';
import { bodyMustBeEmpty } from './read-prompts.ts';
import { readTranscript } from './read-transcript.ts';

export const readRecord: ElementReader<Record> = (element, reading) => {
  const attributes = attributesOf(element, reading);
  const record = {
    element: 'Record',
    action: attributes.request('action', 'method', 'action'),
    redirect: attributes.flag('redirect', true),
    format: attributes.oneOf('fileFormat', ['mp3', 'wav'], 'mp3'),
    timeoutMs: 1000 * attributes.integer('timeout', { min: 1, max: 600, byDefault: 15 }),
    // A call ends after 24 hours at the latest (docs/interface/calls.md#limits).
    maxLengthSeconds: attributes.integer('maxLength', { min: 1, max: 86_400, byDefault: 60 }),
    finishOnKey: attributes.keys('finishOnKey', '#'),
    playBeep: attributes.flag('playBeep', true),
    recordSession: attributes.flag('recordSession', false),
    startOnDialAnswer: attributes.flag('startOnDialAnswer', false),
    channels: attributes.oneOf('recordChannelType', ['mono', 'stereo'], 'stereo'),
    callback: attributes.request('callbackUrl', 'callbackMethod'),
    transcript: readTranscript(attributes, attributes.text('transcriptionType') !== null, reading),
  } as const;
  attributes.end();
  bodyMustBeEmpty(element, reading);
  return record;
};
