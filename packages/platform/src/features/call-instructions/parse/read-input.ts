import type { GetDigits, GetInput, SpokenInput } from '../domain/instruction.ts';
import { type Attributes, allKeys, attributesOf } from './attributes.ts';
import { childrenOf, type ElementReader } from './contents.ts';
import { promptReaders } from './read-prompts.ts';

const inputTypes = ['dtmf', 'speech', 'dtmf speech', 'speech dtmf'] as const;
const seconds = { min: 2, max: 10, byDefault: null, auto: true } as const;
/** As many phrases as common engines accept. */
const maxHints = 500;
const noEngine =
  'speech is not recognised here: the operator has set no engine in JACKFIELD_SPEECH_ENGINE (docs/guides/speech-recognition.md)';

export const readGetDigits: ElementReader<GetDigits> = (element, reading) => {
  const attributes = attributesOf(element, reading);
  const validDigits = attributes.keys('validDigits', allKeys);
  if (validDigits === '') attributes.refuse('validDigits', 'one or several of the keys 0 to 9, * and #');
  const getDigits = {
    element: 'GetDigits',
    action: attributes.request('action', 'method', 'action'),
    redirect: attributes.flag('redirect', true),
    timeoutMs: 1000 * attributes.integer('timeout', { min: 1, max: 600, byDefault: 5 }),
    digitTimeoutMs: 1000 * attributes.integer('digitTimeout', { min: 1, max: 600, byDefault: 2 }),
    numDigits: attributes.integer('numDigits', { min: 1, max: 99, byDefault: 99 }),
    retries: attributes.integer('retries', { min: 1, max: 100, byDefault: 1 }),
    finishOnKey: attributes.keys('finishOnKey', '#'),
    validDigits,
    playBeep: attributes.flag('playBeep', false),
    invalidDigitsSound: attributes.url('invalidDigitsSound'),
    log: attributes.flag('log', true),
  } as const;
  attributes.end();
  return { ...getDigits, prompts: childrenOf(element, reading, promptReaders) };
};

export const readGetInput: ElementReader<GetInput> = (element, reading) => {
  const attributes = attributesOf(element, reading);
  const action = attributes.request('action', 'method', 'action');
  if (action === null) reading.refuse(element.line, '<GetInput> must have the attribute action');
  const inputType = attributes.oneOf('inputType', inputTypes, 'dtmf');
  if (inputType === 'speech' && !reading.recognisesSpeech) {
    attributes.refuse('inputType', `dtmf or "dtmf speech", because ${noEngine}`);
  } else if (inputType !== 'dtmf' && !reading.recognisesSpeech) {
    attributes.warn(`<GetInput> listens for keys alone, because ${noEngine}`);
  }
  const digitEndTimeout = attributes.integer('digitEndTimeout', seconds);
  const getInput = {
    element: 'GetInput',
    action: action ?? { url: '', method: 'POST' },
    redirect: attributes.flag('redirect', true),
    executionTimeoutMs: 1000 * attributes.integer('executionTimeout', { min: 5, max: 60, byDefault: 15 }),
    digitEndTimeoutMs: digitEndTimeout === null ? null : 1000 * digitEndTimeout,
    numDigits: attributes.integer('numDigits', { min: 1, max: 32, byDefault: 32 }),
    finishOnKey: attributes.keys('finishOnKey', '#'),
    log: attributes.flag('log', true),
  } as const;
  // Attributes of speech are checked where keys alone are collected as well.
  const spoken = readSpokenInput(attributes);
  attributes.end();
  const prompts = childrenOf(element, reading, promptReaders);
  if (inputType === 'dtmf' || !reading.recognisesSpeech) return { ...getInput, prompts };
  return { ...getInput, prompts, speech: { ...spoken, withKeys: inputType !== 'speech' } };
};

function readSpokenInput(attributes: Attributes): Omit<SpokenInput, 'withKeys'> {
  const endTimeout = attributes.integer('speechEndTimeout', seconds);
  const language = attributes.text('language', {
    pattern: /^[A-Za-z0-9_-]{1,35}$/,
    allowed: 'a language tag such as en-US',
  });
  const model = attributes.text('speechModel', {
    pattern: /^[A-Za-z0-9_-]{1,50}$/,
    allowed: 'the name of a model',
  });
  const hints = attributes.text('hints', {
    pattern: /^[^\p{Cc}]{0,10000}$/u,
    allowed: 'words separated by commas',
  });
  return {
    language: (language ?? 'en-US').replaceAll('_', '-'),
    model: model === 'default' ? null : model,
    hints: (hints ?? '')
      .split(',')
      .map((hint) => hint.trim())
      .filter((hint) => hint !== '')
      .slice(0, maxHints),
    profanityFilter: attributes.flag('profanityFilter', false),
    endTimeoutMs: endTimeout === null ? null : 1000 * endTimeout,
    interimCallback: attributes.request('interimSpeechResultsCallback', 'interimSpeechResultsCallbackMethod'),
  };
}
