import { quoted } from '@jackfield/ports';
import type { Instruction } from '../domain/instruction.ts';
import { attributesOf, httpUrlAllowed, isHttpUrl } from './attributes.ts';
import { bodyOf, type ElementReader } from './contents.ts';
import { bodyMustBeEmpty } from './read-prompts.ts';

const reasons = ['rejected', 'busy'] as const;

export const readRedirect: ElementReader<Instruction> = (element, reading) => {
  const attributes = attributesOf(element, reading);
  const method = attributes.method('method', 'action');
  attributes.end();
  const url = bodyOf(element, reading);
  if (!isHttpUrl(url)) {
    reading.refuse(element.line, `<Redirect> must hold ${httpUrlAllowed}, not ${quoted(url)}`, 'url');
  }
  return { element: 'Redirect', request: { url, method } };
};

export const readHangup: ElementReader<Instruction> = (element, reading) => {
  const attributes = attributesOf(element, reading);
  const reason = attributes.has('reason') ? attributes.oneOf('reason', reasons, 'rejected') : null;
  const scheduleSeconds = attributes.integer('schedule', { min: 0, max: 86_400, byDefault: 0 });
  attributes.end();
  bodyMustBeEmpty(element, reading);
  return { element: 'Hangup', reason, scheduleSeconds };
};

export const readDtmf: ElementReader<Instruction> = (element, reading) => {
  const attributes = attributesOf(element, reading);
  const isAsync = attributes.flag('async', true);
  attributes.end();
  const digits = bodyOf(element, reading);
  if (!/^[0-9*#wW]{1,100}$/.test(digits)) {
    reading.refuse(
      element.line,
      `<DTMF> must hold 1 to 100 of the keys 0 to 9, *, # and the pauses w (0.5 s) and W (1 s), not ${quoted(digits)}`,
    );
  }
  return { element: 'DTMF', digits, isAsync };
};
