import { readVoice } from '@jackfield/contract';
import { writtenDate } from './spoken-dates.ts';
import { voiceWarning } from './spoken-voices.ts';

/** How an element is written for the engine: its tags, other words, or nothing but its words. */
export type Written =
  | { readonly open: string; readonly close: string; readonly note?: string }
  | { readonly words: string }
  | { readonly ignored: string };

/** The trimmed value of an attribute. */
export type Attribute = (name: string) => string | undefined;

export interface SpokenElement {
  /** Attributes that are followed; `any` for an element that is followed by none or reported whole. */
  readonly attributes: readonly string[] | 'any';
  /** `language` is that of the words. */
  write(attribute: Attribute, words: string, language: string): Written;
}

const ignored = (why: string): Written => ({ ignored: why });
const notFollowed: SpokenElement = { attributes: 'any', write: () => ignored('is not followed') };

const prosodyRules: Readonly<Record<string, RegExp>> = {
  rate: /^(?:x-slow|slow|medium|fast|x-fast|default|[0-9]{2,3}%)$/,
  pitch: /^(?:x-low|low|medium|high|x-high|default|[+-][0-9]{1,2}%)$/,
  volume: /^(?:silent|x-soft|soft|medium|loud|x-loud|default|[+-][0-9]{1,2}dB)$/,
};

/** The SSML of the hosted service. */
export const spokenElements: ReadonlyMap<string, SpokenElement> = new Map<string, SpokenElement>([
  ['break', { attributes: ['time', 'strength'], write: (attribute) => writtenBreak(attribute) }],
  ['cont', notFollowed],
  ['emphasis', { attributes: ['level'], write: (attribute) => emphasis(attribute('level') ?? 'moderate') }],
  ['lang', { attributes: ['xml:lang'], write: (attribute) => otherLanguage(attribute('xml:lang') ?? '') }],
  ['p', { attributes: ['xml:lang'], write: (attribute) => block('<p>', '</p>', attribute('xml:lang')) }],
  ['phoneme', notFollowed],
  ['prosody', { attributes: Object.keys(prosodyRules), write: prosody }],
  ['s', { attributes: ['xml:lang'], write: (attribute) => block('<s>', '</s>', attribute('xml:lang')) }],
  ['say-as', { attributes: ['interpret-as', 'format'], write: saidAs }],
  ['speak', { attributes: 'any', write: (attribute) => block(' ', ' ', attribute('xml:lang')) }],
  ['sub', { attributes: ['alias'], write: (attribute, words) => ({ words: attribute('alias') ?? words }) }],
  ['voice', { attributes: ['name', 'gender', 'xml:lang'], write: otherVoice }],
  ['w', notFollowed],
]);

/** The reader of a name, those of the hosted service's engine included. */
export function spokenElement(name: string): SpokenElement | undefined {
  return name.startsWith('amazon:') ? notFollowed : spokenElements.get(name);
}

/** docs/reference/speech.md#markup */
export const longestPauseMs = 10_000;

function writtenBreak(attribute: Attribute): Written {
  const time = attribute('time');
  if (time !== undefined) {
    const [, number = '', unit] = /^([0-9]{1,5}(?:[.][0-9]{1,3})?)(ms|s)$/.exec(time) ?? [];
    const ms = Math.round(Number(number) * (unit === 's' ? 1000 : 1));
    if (number === '' || ms > longestPauseMs)
      return ignored('has a time that is not from 0 to 10s, and is left out');
    return { open: ` <break time="${ms}ms"/> `, close: '' };
  }
  const strength = attribute('strength') ?? 'medium';
  const isKnown = /^(?:none|x-weak|weak|medium|strong|x-strong)$/.test(strength);
  if (!isKnown) return ignored('has an unknown strength, and is left out');
  return { open: ` <break strength="${strength}"/> `, close: '' };
}

function emphasis(level: string): Written {
  if (!/^(?:strong|moderate|none|reduced)$/.test(level)) return ignored('has an unknown level');
  return { open: `<emphasis level="${level}">`, close: '</emphasis>' };
}

const languageTag = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,2}$/;
const withoutTag = 'has no language tag in xml:lang';

/** The engine changes its language by the element voice. */
function otherLanguage(tag: string): Written {
  if (!languageTag.test(tag)) return ignored(withoutTag);
  return { open: `<voice xml:lang="${tag.toLowerCase()}">`, close: '</voice>' };
}

/** A part of the text, in a language of its own where it names one. */
function block(open: string, close: string, tag: string | undefined): Written {
  if (tag === undefined) return { open, close };
  if (!languageTag.test(tag)) return { open, close, note: withoutTag };
  return { open: `${open}<voice xml:lang="${tag.toLowerCase()}">`, close: `</voice>${close}` };
}

const nameOfVoice = /^(?:woman|man|polly\.[a-z0-9-]{1,40})$/i;
const genderOf = { woman: 'female', man: 'male' } as const;

/** Another of the two voices, another language, or both. */
function otherVoice(attribute: Attribute): Written {
  const [name, gender, tag] = [attribute('name'), attribute('gender'), attribute('xml:lang')];
  if (name !== undefined && !nameOfVoice.test(name)) {
    return ignored(
      'has a name that is neither WOMAN nor MAN nor that of a voice of Polly, and is not followed',
    );
  }
  if (gender !== undefined && !/^(?:male|female)$/.test(gender)) return ignored('has an unknown gender');
  if (tag !== undefined && !languageTag.test(tag)) return ignored(withoutTag);
  const spoken = name === undefined ? gender : genderOf[readVoice(name)];
  const given = [
    ...(tag === undefined ? [] : [` xml:lang="${tag.toLowerCase()}"`]),
    ...(spoken === undefined ? [] : [` gender="${spoken}"`]),
  ];
  if (given.length === 0) return ignored('has neither name nor gender nor xml:lang');
  const written = { open: `<voice${given.join('')}>`, close: '</voice>' };
  const isOfHosted = name !== undefined && voiceWarning(name) !== undefined;
  if (!isOfHosted) return written;
  return { ...written, note: `names a voice that is not offered here: a ${readVoice(name)} speaks instead` };
}

function prosody(attribute: Attribute): Written {
  const given = Object.entries(prosodyRules).flatMap(([name, rule]) => {
    const value = attribute(name);
    return value === undefined ? [] : [{ name, value, isKnown: rule.test(value) }];
  });
  const wrong = given.find(({ isKnown }) => !isKnown);
  if (wrong !== undefined) return ignored(`has an unknown ${wrong.name}`);
  if (given.length === 0) return ignored('has neither rate nor pitch nor volume');
  return {
    open: `<prosody ${given.map(({ name, value }) => `${name}="${value}"`).join(' ')}>`,
    close: '</prosody>',
  };
}

function saidAs(attribute: Attribute, words: string, language: string): Written {
  switch (attribute('interpret-as')) {
    case 'digits':
    case 'telephone':
      return { words: [...words.trim()].join(' ') };
    case 'characters':
    case 'spell-out':
    case 'verbatim':
      return { open: '<say-as interpret-as="characters">', close: '</say-as>' };
    case 'date': {
      const date = writtenDate(words.trim(), attribute('format'), language);
      if (date !== undefined) return { words: date };
    }
  }
  return ignored(
    'is followed for digits, telephone, characters and spell-out alone, and for a date that is written in its format',
  );
}
