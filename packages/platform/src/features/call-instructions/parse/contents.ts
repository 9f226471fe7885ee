import { quoted } from '@jackfield/ports';
import { nearestName } from '../../../kernel/nearest-name.ts';
import { listed } from './attributes.ts';
import type { Reading } from './reading.ts';
import type { XmlElement } from './xml-tree.ts';

/** Reads one kind of child; undefined when a fault was noted. */
export type ElementReader<Value> = (element: XmlElement, reading: Reading) => Value | undefined;

/** Hints about elements that belong elsewhere or are not supported. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ['Conference', '<Conference> is not supported: use <MultiPartyCall role="Customer">'],
  [
    'Message',
    '<Message> is not supported in the document of a call: send the message from the program that your action URL reaches',
  ],
  ['Number', '<Number> stands in <Dial> alone'],
  ['User', '<User> stands in <Dial> alone'],
  ['Response', '<Response> is the root and stands there once'],
]);

/** Child elements in their order, each through the reader of its name; text between them is refused. */
export function childrenOf<Value>(
  element: XmlElement,
  reading: Reading,
  readers: ReadonlyMap<string, ElementReader<Value>>,
): readonly Value[] {
  const values: Value[] = [];
  for (const child of element.children) {
    if (typeof child === 'string') {
      if (child.trim() !== '') {
        reading.refuse(
          element.line,
          `<${element.name}> must hold no text of its own, and ${quoted(child.trim())} was found; allowed are ${tags(readers.keys())}`,
        );
      }
      continue;
    }
    const read = readers.get(child.name);
    if (read === undefined) {
      refuseChild(element, child, reading, [...readers.keys()]);
      continue;
    }
    const value = read(child, reading);
    if (value !== undefined) values.push(value);
  }
  return values;
}

/** The text of an element that has no children, without white space around it. */
export function bodyOf(element: XmlElement, reading: Reading): string {
  let body = '';
  for (const child of element.children) {
    if (typeof child === 'string') body += child;
    else refuseChild(element, child, reading, []);
  }
  return body.trim();
}

export function refuseChild(
  parent: XmlElement,
  child: XmlElement,
  reading: Reading,
  allowed: readonly string[],
): void {
  // Only the first fault is reported: the search for the nearest name is skipped for the others.
  if (reading.fault !== undefined) return;
  const known = elsewhere.get(child.name);
  const meant = known === undefined ? nearestName(child.name, allowed) : undefined;
  const found =
    known ??
    `<${shortened(child.name)}> is not known inside <${parent.name}>${meant === undefined ? '' : ` (did you mean <${meant}>?)`}`;
  const rest =
    allowed.length === 0 ? `<${parent.name}> has no elements inside` : `allowed are ${tags(allowed)}`;
  reading.refuse(child.line, `${found}; ${rest}`);
}

function tags(names: Iterable<string>): string {
  return listed(
    [...names].map((name) => `<${name}>`),
    'and',
  );
}

function shortened(name: string): string {
  return quoted(name).slice(1, -1);
}
