import { escapedText } from '@jackfield/ports';
import { refuseChild } from './contents.ts';
import type { Reading } from './reading.ts';
import { longestPauseMs, type SpokenElement, spokenElement, spokenElements } from './spoken-elements.ts';
import type { XmlElement } from './xml-tree.ts';

/** The content of <Speak>: its words alone, and the same with the markup that speech engines follow. */
export interface SpokenContent {
  readonly text: string;
  /** SSML with checked elements and values; absent where there is none to follow. */
  readonly markup?: string;
}

/** Limit of the speech engine. */
const maxTextLength = 3000;

/** Markup between words; other markup may stand inside a word. */
const separating: ReadonlySet<string> = new Set(['break', 'p', 's', 'speak']);

/** Reads the content; one warning for each kind of markup that is not followed. `language` is that of the words. */
export function readSpoken(speak: XmlElement, reading: Reading, language: string): SpokenContent {
  const warned = new Set<string>();
  const warn = (line: number, sentence: string) => {
    if (warned.has(sentence)) return;
    warned.add(sentence);
    reading.warn(line, sentence);
  };
  const { text, markup } = contentOf(speak, speak, { reading, warn }, language);
  const words = compact(text);
  if (words === '') {
    reading.refuse(speak.line, `<${speak.name}> must hold the text that is spoken, and it is empty`);
  }
  if (words.length > maxTextLength) {
    reading.refuse(
      speak.line,
      `the text of <${speak.name}> must have at most ${maxTextLength} characters, not ${words.length}`,
    );
  }
  const marked = withSummedBreaks(compact(markup), () =>
    warn(
      speak.line,
      `<break> inside <${speak.name}> makes with those beside it a pause of more than 10s, and it is 10s`,
    ),
  );
  return marked === escapedText(words) ? { text: words } : { text: words, markup: marked };
}

/** Of adjacent pauses espeak-ng follows the longest alone: they are written as one. */
function withSummedBreaks(markup: string, tooLong: () => void): string {
  return markup.replace(/<break time="\d+ms"\/>(?: <break time="\d+ms"\/>)+/g, (breaks) => {
    const ms = [...breaks.matchAll(/\d+/g)].reduce((sum, [each]) => sum + Number(each), 0);
    if (ms > longestPauseMs) tooLong();
    return `<break time="${Math.min(ms, longestPauseMs)}ms"/>`;
  });
}

interface Content {
  readonly text: string;
  readonly markup: string;
}

interface Reports {
  readonly reading: Reading;
  readonly warn: (line: number, sentence: string) => void;
}

function contentOf(speak: XmlElement, element: XmlElement, reports: Reports, language: string): Content {
  let text = '';
  let markup = '';
  for (const child of element.children) {
    if (typeof child === 'string') {
      text += child;
      markup += escapedText(child);
      continue;
    }
    const known = spokenElement(child.name);
    if (known === undefined) {
      refuseChild(speak, child, reports.reading, [...spokenElements.keys()]);
      continue;
    }
    const inside = contentOf(speak, child, reports, attributeOf(child, 'xml:lang') ?? language);
    const { words, marked } = writtenOf(speak, child, known, inside, reports, language);
    text += separating.has(child.name) ? ` ${words} ` : words;
    markup += marked;
  }
  return { text, markup };
}

function writtenOf(
  speak: XmlElement,
  child: XmlElement,
  known: SpokenElement,
  inside: Content,
  { warn }: Reports,
  language: string,
): { readonly words: string; readonly marked: string } {
  const what = `<${child.name}> inside <${speak.name}>`;
  const written = known.write((name) => attributeOf(child, name), inside.text, language);
  if ('ignored' in written) {
    warn(child.line, `${what} ${written.ignored}; its words are spoken`);
    return { words: inside.text, marked: inside.markup };
  }
  for (const { name } of child.attributes) {
    if (known.attributes === 'any' || known.attributes.includes(name)) continue;
    warn(child.line, `the attribute ${shortened(name)} of ${what} is not followed`);
  }
  if ('words' in written) return { words: written.words, marked: escapedText(written.words) };
  if (written.note !== undefined) warn(child.line, `${what} ${written.note}`);
  return { words: inside.text, marked: `${written.open}${inside.markup}${written.close}` };
}

function attributeOf(element: XmlElement, name: string): string | undefined {
  return element.attributes.find((each) => each.name === name)?.value.trim();
}

/** Names of attributes may be as long as the text. */
function shortened(name: string): string {
  return name.length > 40 ? `${name.slice(0, 40)}…` : name;
}

function compact(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
