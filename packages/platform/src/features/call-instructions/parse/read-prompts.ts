import { readVoice } from '@jackfield/contract';
import { quoted } from '@jackfield/ports';
import type { Instruction, Prompt, Wait } from '../domain/instruction.ts';
import { attributesOf, httpUrlAllowed, isHttpUrl } from './attributes.ts';
import { bodyOf, childrenOf, type ElementReader } from './contents.ts';
import type { Reading } from './reading.ts';
import { readSpoken } from './spoken-markup.ts';
import { voiceWarning } from './spoken-voices.ts';
import type { XmlElement } from './xml-tree.ts';

/** Repetitions of a sound; 0 repeats for ever. The limit is ours; short sounds seldom fill a call of 24 hours. */
const loopRange = { min: 0, max: 10_000, byDefault: 1 } as const;

const language = {
  pattern: /^[A-Za-z0-9_-]{1,35}$/,
  allowed: 'a language tag such as en-US',
} as const;

export const readSpeak: ElementReader<Prompt> = (element, reading) => {
  const attributes = attributesOf(element, reading);
  const voice = voiceOf(attributes.text('voice', voiceRule), (sentence) => attributes.warn(sentence));
  const speak = {
    element: 'Speak',
    language: attributes.text('language', language) ?? 'en-US',
    voice,
    loop: attributes.integer('loop', loopRange),
  } as const;
  attributes.end();
  return { ...speak, ...readSpoken(element, reading, speak.language) };
};

const voiceRule = {
  pattern: /^(?:woman|man|polly\.[a-z0-9-]{1,40})$/i,
  allowed: 'WOMAN, MAN or a name such as Polly.Amy',
} as const;

function voiceOf(value: string | null, warn: (sentence: string) => void): 'woman' | 'man' {
  const warning = value === null ? undefined : voiceWarning(value);
  if (warning !== undefined) warn(warning);
  return readVoice(value ?? 'WOMAN');
}

export const readPlay: ElementReader<Prompt> = (element, reading) => {
  const attributes = attributesOf(element, reading);
  const loop = attributes.integer('loop', loopRange);
  attributes.end();
  const url = bodyOf(element, reading);
  if (!isHttpUrl(url)) {
    reading.refuse(element.line, `<Play> must hold ${httpUrlAllowed}, not ${quoted(url)}`);
  }
  return { element: 'Play', url, loop };
};

export const readWait: ElementReader<Wait> = (element, reading) => {
  const attributes = attributesOf(element, reading);
  const seconds = attributes.integer('length', { min: 1, max: 86_400, byDefault: 1 });
  const wait = {
    element: 'Wait',
    lengthMs: seconds * 1000,
    silence: attributes.flag('silence', false),
    minSilenceMs: attributes.integer('minSilence', { min: 100, max: 60_000, byDefault: null }),
    beep: readBeep(attributes.text('beep'), (sentence) => attributes.warn(sentence)),
    untilBeep: attributes.flag('untilBeep', false),
  } as const;
  attributes.end();
  bodyMustBeEmpty(element, reading);
  return wait;
};

/** docs/interface/documents.md#wait: true, or a list of parameters, whose form is not published. */
function readBeep(value: string | null, warn: (sentence: string) => void): boolean {
  const lower = value?.toLowerCase();
  if (lower === undefined || lower === 'false' || lower === '') return false;
  if (lower !== 'true') warn('the parameters of beep are not followed: the usual beep is heard');
  return true;
}

/** Prompts in front of a request for keys. */
export const promptReaders: ReadonlyMap<string, ElementReader<Prompt>> = new Map([
  ['Speak', readSpeak],
  ['Play', readPlay],
]);

const earlyReaders: ReadonlyMap<string, ElementReader<Prompt | Wait>> = new Map<
  string,
  ElementReader<Prompt | Wait>
>([...promptReaders, ['Wait', readWait]]);

export const readPreAnswer: ElementReader<Instruction> = (element, reading) => {
  attributesOf(element, reading).end();
  return { element: 'PreAnswer', children: childrenOf(element, reading, earlyReaders) };
};

/** Refuses a body. */
export function bodyMustBeEmpty(element: XmlElement, reading: Reading): void {
  const body = bodyOf(element, reading);
  if (body !== '') {
    reading.refuse(element.line, `<${element.name}> must be empty, and ${quoted(body)} was found`);
  }
}
