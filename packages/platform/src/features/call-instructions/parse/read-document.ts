import { quoted } from '@jackfield/ports';
import type { Instruction, ReadDocument } from '../domain/instruction.ts';
import { attributesOf } from './attributes.ts';
import { childrenOf, type ElementReader } from './contents.ts';
import { readDial } from './read-dial.ts';
import { readDtmf, readHangup, readRedirect } from './read-flow.ts';
import { readGetDigits, readGetInput } from './read-input.ts';
import { readMultiPartyCall } from './read-multiparty-call.ts';
import { readPlay, readPreAnswer, readSpeak, readWait } from './read-prompts.ts';
import { readRecord } from './read-record.ts';
import { readStream } from './read-stream.ts';
import { createReading } from './reading.ts';
import { readXml, type XmlLimits } from './xml-tree.ts';

/** docs/interface/calls.md#limits sets the bytes; no element nests deeper than four, except for markup of speech. */
export const documentLimits: XmlLimits = { maxBytes: 102_400, maxDepth: 10, maxElements: 1_000 };

const instructionReaders: ReadonlyMap<string, ElementReader<Instruction>> = new Map<
  string,
  ElementReader<Instruction>
>([
  ['Dial', readDial],
  ['DTMF', readDtmf],
  ['GetDigits', readGetDigits],
  ['GetInput', readGetInput],
  ['Hangup', readHangup],
  ['MultiPartyCall', readMultiPartyCall],
  ['Play', readPlay],
  ['PreAnswer', readPreAnswer],
  ['Record', readRecord],
  ['Redirect', readRedirect],
  ['Speak', readSpeak],
  ['Stream', readStream],
  ['Wait', readWait],
]);

/**
 * Reads an answer document and checks all of it before any of it runs. Never throws; the cost is linear in the bytes.
 */
export function readDocument(
  bytes: Uint8Array,
  limits: Partial<XmlLimits> = {},
  recognisesSpeech = false,
): ReadDocument {
  const xml = readXml(bytes, { ...documentLimits, ...limits });
  if (!xml.ok) return { ok: false, fault: 'xml', sentence: xml.sentence };
  const { root } = xml;
  if (root.name !== 'Response') {
    const sentence = `line ${root.line}: the root of the document must be <Response>, not <${quoted(root.name).slice(1, -1)}>`;
    return { ok: false, fault: 'xml', sentence };
  }
  const reading = createReading(recognisesSpeech);
  attributesOf(root, reading).end();
  const instructions = childrenOf(root, reading, instructionReaders);
  return reading.fault === undefined
    ? { ok: true, instructions, warnings: reading.warnings }
    : { ok: false, ...reading.fault };
}
