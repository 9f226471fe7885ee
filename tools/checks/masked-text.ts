import type { SourceFile } from './check-result.ts';

/**
 * The text with every character of comments replaced by a space, and in `code` those of strings and regular
 * expressions too (their quotes stay). Offsets and lines are those of the original.
 */
export interface MaskedText {
  readonly code: string;
  readonly withoutComments: string;
  /** The other way round: comments, and strings of at least three words; everything else is a space. */
  readonly prose: string;
}

// A slash after one of these starts a regular expression, after anything else it divides.
const beforeRegex = new Set([...'(,=:[!&|?{;+-*%<>~^\n']);
const wordsBeforeRegex =
  /(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield)$/;

const threeWords = /\S+\s+\S+\s+\S+/;

// Seven checks ask for the same files; a text gives the same mask for ever.
const masks = new WeakMap<SourceFile, MaskedText>();

export function maskOf(file: SourceFile): MaskedText {
  let mask = masks.get(file);
  if (mask === undefined) {
    mask = maskText(file.text);
    masks.set(file, mask);
  }
  return mask;
}

export function maskText(text: string): MaskedText {
  const code = [...text.split('')];
  const withoutComments = [...code];
  const prose = text.replace(/[^\n]/g, ' ').split('');
  // One entry per open template literal: the depth of braces inside its `${`.
  const templates: number[] = [];
  let significant = '\n';
  let at = 0;

  const blank = (target: string[], from: number, to: number) => {
    for (let index = from; index < to && index < target.length; index += 1) {
      if (target[index] !== '\n') target[index] = ' ';
    }
  };
  const keep = (from: number, to: number) => {
    if (!threeWords.test(text.slice(from, to))) return;
    for (let index = from; index < to; index += 1) prose[index] = text[index] as string;
  };
  const takeTemplate = (from: number) => {
    const end = endOfTemplatePart(text, from);
    blank(code, from, end);
    keep(from, end);
    if (text[end] === '$') {
      templates.push(0);
      at = end + 2;
      significant = '(';
    } else {
      at = end + 1;
      significant = '`';
    }
  };

  while (at < text.length) {
    const here = text[at] as string;
    const next = text[at + 1];
    if (here === '/' && (next === '/' || next === '*')) {
      const close = next === '/' ? text.indexOf('\n', at) : text.indexOf('*/', at + 2);
      const end = close === -1 ? text.length : next === '/' ? close : close + 2;
      blank(code, at, end);
      blank(withoutComments, at, end);
      keep(at, end);
      at = end;
    } else if (here === '"' || here === "'") {
      const end = endOfString(text, at + 1, here);
      blank(code, at + 1, end);
      keep(at + 1, end);
      at = end + 1;
      significant = here;
    } else if (here === '`') {
      takeTemplate(at + 1);
    } else if (here === '}' && templates.at(-1) === 0) {
      templates.pop();
      takeTemplate(at + 1);
    } else if (here === '/' && startsRegex(text, at, significant)) {
      const end = endOfRegex(text, at + 1);
      blank(code, at + 1, end);
      at = end + 1;
      significant = '/';
    } else {
      if (templates.length > 0 && here === '{') templates[templates.length - 1]! += 1;
      if (templates.length > 0 && here === '}') templates[templates.length - 1]! -= 1;
      if (!/\s/.test(here)) significant = here;
      at += 1;
    }
  }
  return { code: code.join(''), withoutComments: withoutComments.join(''), prose: prose.join('') };
}

function startsRegex(text: string, at: number, significant: string): boolean {
  if (beforeRegex.has(significant)) return true;
  return /\w/.test(significant) && wordsBeforeRegex.test(text.slice(Math.max(0, at - 20), at).trimEnd());
}

/** Offset of the closing quote, or of the end of the line when it is missing. */
function endOfString(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === quote || text[at] === '\n') return at;
  }
  return text.length;
}

/** Offset of the closing backtick or of the next `${`. */
function endOfTemplatePart(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '`' || (text[at] === '$' && text[at + 1] === '{')) return at;
  }
  return text.length;
}

function endOfRegex(text: string, from: number): number {
  let inClass = false;
  for (let at = from; at < text.length; at += 1) {
    const here = text[at];
    if (here === '\\') at += 1;
    else if (here === '[') inClass = true;
    else if (here === ']') inClass = false;
    else if (here === '\n' || (here === '/' && !inClass)) return at;
  }
  return text.length;
}
