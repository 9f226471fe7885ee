import { escapedText } from '@jackfield/ports';
import { refuseChild } from './contents.ts';
import type { Reading } from './reading.ts';
import type { XmlElement } from './xml-tree.ts';

/** The content of <Speak>: its words alone, and the same with the markup that speech engines follow. */
export interface SpokenContent {
  readonly text: string;
  /** SSML with checked elements and values; absent where there is none to follow. */
  readonly markup?: string;
}

/** How an element is written for the engine: its tags, other words, or nothing but its words. */
type Written =
  | { readonly open: string; readonly close: string }
  | { readonly words: string }
  | { readonly ignored: string };

type Attributes = (name: string) => string | undefined;
type Writer = (attribute: Attributes, words: string) => Written;

const plain = (name: string): Written => ({ open: `<${name}>`, close: `</${name}>` });
const ignored = (why: string): Written => ({ ignored: why });
const notFollowed = () => ignored('is not followed');

const prosodyRules: Readonly<Record<string, RegExp>> = {
  rate: /^(?:x-slow|slow|medium|fast|x-fast|default|[0-9]{2,3}%)$/,
  pitch: /^(?:x-low|low|medium|high|x-high|default|[+-][0-9]{1,2}%)$/,
  volume: /^(?:silent|x-soft|soft|medium|loud|x-loud|default|[+-][0-9]{1,2}dB)$/,
};

/** The SSML of the hosted service. */
const elements: ReadonlyMap<string, Writer> = new Map<string, Writer>([
  ['break', (attribute) => writtenBreak(attribute('time'), attribute('strength'))],
  ['cont', notFollowed],
  ['emphasis', (attribute) => emphasis(attribute('level') ?? 'moderate')],
  ['lang', (attribute) => otherLanguage(attribute('xml:lang'))],
  ['p', () => plain('p')],
  ['phoneme', notFollowed],
  ['prosody', prosody],
  ['s', () => plain('s')],
  ['say-as', (attribute, words) => saidAs(attribute('interpret-as'), words)],
  ['speak', () => ({ open: ' ', close: ' ' })],
  ['sub', (attribute, words) => ({ words: attribute('alias') ?? words })],
  ['voice', notFollowed],
  ['w', notFollowed],
]);

/** Markup between words; other markup may stand inside a word. */
const separating: ReadonlySet<string> = new Set(['break', 'p', 's', 'speak']);

/** Reads the content; one warning for each kind of markup that is not followed. */
export function readSpoken(speak: XmlElement, reading: Reading): SpokenContent {
  const warned = new Set<string>();
  const warn = (line: number, what: string) => {
    if (warned.has(what)) return;
    warned.add(what);
    reading.warn(line, `${what}; its words are spoken`);
  };
  const { text, markup } = contentOf(speak, speak, reading, warn);
  const words = compact(text);
  const marked = compact(markup);
  return marked === escapedText(words) ? { text: words } : { text: words, markup: marked };
}

interface Content {
  readonly text: string;
  readonly markup: string;
}

function contentOf(
  speak: XmlElement,
  element: XmlElement,
  reading: Reading,
  warn: (line: number, what: string) => void,
): Content {
  let text = '';
  let markup = '';
  for (const child of element.children) {
    if (typeof child === 'string') {
      text += child;
      markup += escapedText(child);
      continue;
    }
    const write = child.name.startsWith('amazon:') ? notFollowed : elements.get(child.name);
    if (write === undefined) {
      refuseChild(speak, child, reading, [...elements.keys()]);
      continue;
    }
    const inside = contentOf(speak, child, reading, warn);
    const attribute: Attributes = (name) => child.attributes.find((each) => each.name === name)?.value.trim();
    const written = write(attribute, inside.text);
    if ('ignored' in written) warn(child.line, `<${child.name}> inside <Speak> ${written.ignored}`);
    const words = 'words' in written ? written.words : inside.text;
    text += separating.has(child.name) ? ` ${words} ` : words;
    if ('open' in written) markup += `${written.open}${inside.markup}${written.close}`;
    else markup += 'words' in written ? escapedText(written.words) : inside.markup;
  }
  return { text, markup };
}

/** A pause of at most 10 s. */
function writtenBreak(time: string | undefined, strength: string | undefined): Written {
  if (time !== undefined) {
    const [, number = '', unit] = /^([0-9]{1,5}(?:[.][0-9]{1,3})?)(ms|s)$/.exec(time) ?? [];
    const ms = Math.round(Number(number) * (unit === 's' ? 1000 : 1));
    if (number === '' || ms > 10_000) return ignored('has a time that is not from 0 to 10s, and is left out');
    return { open: ` <break time="${ms}ms"/> `, close: '' };
  }
  const isKnown = /^(?:none|x-weak|weak|medium|strong|x-strong)$/.test(strength ?? 'medium');
  if (!isKnown) return ignored('has an unknown strength, and is left out');
  return { open: ` <break strength="${strength ?? 'medium'}"/> `, close: '' };
}

function emphasis(level: string): Written {
  if (!/^(?:strong|moderate|none|reduced)$/.test(level)) return ignored('has an unknown level');
  return { open: `<emphasis level="${level}">`, close: '</emphasis>' };
}

/** The engine changes its language by the element voice. */
function otherLanguage(tag: string | undefined): Written {
  if (tag === undefined || !/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,2}$/.test(tag)) {
    return ignored('has no language tag in xml:lang');
  }
  return { open: `<voice xml:lang="${tag.toLowerCase()}">`, close: '</voice>' };
}

function prosody(attribute: Attributes): Written {
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

function saidAs(kind: string | undefined, words: string): Written {
  switch (kind) {
    case 'digits':
    case 'telephone':
      return { words: [...words.trim()].join(' ') };
    case 'characters':
    case 'spell-out':
    case 'verbatim':
      return { open: '<say-as interpret-as="characters">', close: '</say-as>' };
    default:
      return ignored('is followed for digits, telephone, characters and spell-out alone');
  }
}

function compact(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
