import { quoted } from '@jackfield/ports';
import type { PlayItem, ReadSoundDocument } from '../../sounds/index.ts';
import { itemOfPrompt } from '../domain/elements/play-items.ts';
import type { Prompt, Wait } from '../domain/instruction.ts';
import { attributesOf } from './attributes.ts';
import type { ElementReader } from './contents.ts';
import { documentLimits } from './read-document.ts';
import { promptReaders, readWait } from './read-prompts.ts';
import { createReading } from './reading.ts';
import { readXml } from './xml-tree.ts';

const soundReaders: ReadonlyMap<string, ElementReader<Prompt | Wait>> = new Map<
  string,
  ElementReader<Prompt | Wait>
>([...promptReaders, ['Wait', readWait]]);

/**
 * Reads the document at the URL of music or of an announcement: Play, Speak and Wait are heard one after another, other elements
 * are skipped (docs/interface/multiparty-calls.md#music-and-sounds). A mistake in one of the three makes the whole document invalid.
 */
export const readSoundDocument: ReadSoundDocument = (bytes) => {
  const xml = readXml(bytes, documentLimits);
  if (!xml.ok) return { sentence: xml.sentence };
  const { root } = xml;
  if (root.name !== 'Response') {
    return {
      sentence: `line ${root.line}: the root of the document must be <Response>, not <${shown(root.name)}>`,
    };
  }
  const reading = createReading();
  attributesOf(root, reading).end();
  const items: PlayItem[] = [];
  for (const child of root.children) {
    if (typeof child === 'string') {
      if (child.trim() !== '') {
        reading.refuse(
          root.line,
          `<Response> must hold no text of its own, and ${quoted(child.trim())} was found`,
        );
      }
      continue;
    }
    const read = soundReaders.get(child.name);
    if (read === undefined) {
      reading.warn(child.line, `<${shown(child.name)}> is passed over: Play, Speak and Wait are heard here`);
      continue;
    }
    const value = read(child, reading);
    if (value !== undefined) items.push(itemOf(value));
  }
  return reading.fault === undefined
    ? { items, warnings: reading.warnings }
    : { sentence: reading.fault.sentence };
};

/** A Wait in a document of sounds is silence. */
function itemOf(element: Prompt | Wait): PlayItem {
  return element.element === 'Wait'
    ? { kind: 'silence', durationMs: element.lengthMs }
    : itemOfPrompt(element);
}

function shown(name: string): string {
  return quoted(name).slice(1, -1);
}
