import { quoted } from '@jackfield/ports';
import { SaxesParser } from 'saxes';

/** Limits of a document; reading stops at a document that exceeds them. */
export interface XmlLimits {
  readonly maxBytes: number;
  /** Elements inside one another, the root included. */
  readonly maxDepth: number;
  readonly maxElements: number;
}

export interface XmlElement {
  readonly name: string;
  /** Line of its tag, counted from 1. */
  readonly line: number;
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly XmlNode[];
}

export interface XmlAttribute {
  readonly name: string;
  readonly value: string;
  readonly line: number;
}

/** Text and CDATA sections are strings. */
export type XmlNode = XmlElement | string;

export type XmlOutcome =
  | { readonly ok: true; readonly root: XmlElement }
  | { readonly ok: false; readonly sentence: string };

/** Characters handed to the parser at once: at most so many are read after the first fault. */
const pieceLength = 4096;

/** Reads well-formed XML 1.0 in UTF-8 without a document type; comments and processing instructions are dropped. */
export function readXml(bytes: Uint8Array, limits: XmlLimits): XmlOutcome {
  if (bytes.length > limits.maxBytes) {
    return refusal(`the document has ${bytes.length} bytes: at most ${limits.maxBytes} are allowed`);
  }
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    return refusal('the document is encoded in UTF-16: send it in UTF-8');
  }
  const text = decodeUtf8(bytes);
  if (text === undefined) return refusal('the document is not valid UTF-8');
  if (text.trim() === '') {
    return refusal('the document is empty: at least <Response/> must stand in it');
  }
  return parse(text, limits);
}

function parse(text: string, limits: XmlLimits): XmlOutcome {
  const parser = new SaxesParser({ xmlns: false, defaultXMLVersion: '1.0' });
  const open: OpenElement[] = [];
  let root: XmlElement | undefined;
  let elements = 0;
  let fault: string | undefined;
  const refuse = (line: number, sentence: string) => {
    fault ??= `line ${line}: ${sentence}`;
  };
  const append = (piece: string) => {
    const siblings = open.at(-1)?.children;
    if (siblings === undefined) return;
    if (typeof siblings.at(-1) === 'string') siblings[siblings.length - 1] += piece;
    else siblings.push(piece);
  };

  parser.on('error', (error) =>
    refuse(parser.line, `the document is not well-formed XML: ${messageOf(error)}`),
  );
  parser.on('xmldecl', ({ version, encoding }) => {
    if (version !== undefined && version !== '1.0') refuse(parser.line, 'the XML version must be 1.0');
    if (encoding !== undefined && !/^utf-?8$/i.test(encoding)) {
      refuse(parser.line, `the encoding must be UTF-8, not ${quoted(encoding)}`);
    }
  });
  parser.on('doctype', () => {
    refuse(parser.line, 'a document type (<!DOCTYPE …>) is not allowed, nor entities of your own');
  });
  parser.on('text', append);
  parser.on('cdata', append);
  parser.on('opentagstart', ({ name }) => {
    const element: OpenElement = { name, line: parser.line, attributes: [], children: [] };
    elements += 1;
    if (elements > limits.maxElements) {
      refuse(parser.line, `the document has more than ${limits.maxElements} elements`);
    }
    if (open.length >= limits.maxDepth) {
      refuse(parser.line, `elements stand more than ${limits.maxDepth} deep inside one another`);
    }
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on('attribute', ({ name, value }) => {
    open.at(-1)?.attributes.push({ name, value, line: parser.line });
  });
  parser.on('closetag', () => open.pop());

  for (let at = 0; at < text.length && fault === undefined; at += pieceLength) {
    parser.write(text.slice(at, at + pieceLength));
  }
  if (fault === undefined) parser.close();
  if (fault !== undefined) return refusal(fault);
  return root === undefined ? refusal('the document has no element') : { ok: true, root };
}

interface OpenElement extends XmlElement {
  readonly attributes: XmlAttribute[];
  readonly children: XmlNode[];
}

/** A byte order mark is skipped. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The parser's message without its position and full stop; it may hold names of the document. */
function messageOf(error: Error): string {
  const message = error.message.replace(/^\d+:\d+: /, '').replace(/\.$/, '');
  return quoted(message).slice(1, -1).replaceAll('\\"', '"');
}

function refusal(sentence: string): XmlOutcome {
  return { ok: false, sentence };
}
