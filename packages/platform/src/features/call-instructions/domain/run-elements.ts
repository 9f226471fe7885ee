import { type DialInput, type DialState, dialResultOf, isDialOver, newDial } from './dial/dial.ts';
import { documentEnds } from './document-end.ts';
import type { QueuedElement } from './document-run.ts';
import {
  actionOrNext,
  type ElementContext,
  type ElementInput,
  type ElementStep,
  type Outcome,
} from './elements/element.ts';
import { beginElement, type ElementState, stepElement } from './elements/elements.ts';
import { fieldsOfBegunRecording, startedRecording } from './elements/record.ts';
import type { Dial, Instruction, Record as RecordElement } from './instruction.ts';
import { neededMedium } from './planned-element.ts';
import { fetchNext, isEndless } from './run-documents.ts';
import { leave } from './run-end.ts';
import {
  advanceDial,
  bringTo,
  change,
  endElement,
  obeyElement,
  startRecording,
  type Turn,
} from './run-turn.ts';

/** Runs element after element, until an element takes time or none is left. */
export function proceed(turn: Turn) {
  while (turn.run.phase === 'running' && turn.run.current === null) {
    const [element, ...rest] = turn.run.rest;
    if (element === undefined) return leave(turn, documentEnds(4010));
    if (isEndless(turn)) return;
    change(turn, { rest, current: { element, since: turn.now, state: { kind: 'medium' } } });
    begin(turn, element);
  }
}

/** The leg has the medium that the current element waits for, or more. */
export function launchCurrent(turn: Turn) {
  const { current } = turn.run;
  if (current?.state.kind !== 'medium') return;
  begin(turn, current.element);
  proceed(turn);
}

export function stepCurrent(turn: Turn, input: ElementInput) {
  const { current } = turn.run;
  if (current === null || current.state.kind === 'medium' || current.state.kind === 'dial') return;
  settle(turn, stepElement(current.state, input, contextOf(turn)));
  proceed(turn);
}

export function stepCurrentDial(turn: Turn, input: DialInput) {
  const { current } = turn.run;
  if (current?.state.kind !== 'dial') return;
  settleDial(turn, advanceDial(turn, current.state.dial, input));
  proceed(turn);
}

function contextOf({ run, now }: Turn): ElementContext {
  return { leg: run.call.leg, isAudible: run.medium !== 'none', hasBeeped: run.hasBeeped, now };
}

function begin(turn: Turn, element: QueuedElement) {
  const { medium } = turn.run;
  const needed = neededMedium(element.instruction, element.isBeforeAnswer);
  if (needed !== null && medium !== 'answered' && medium !== needed) return bringTo(turn, needed);
  const step = isRunByItself(element.instruction) ? undefined : beginElement(element, contextOf(turn));
  if (step !== undefined) return settle(turn, step);
  carryOut(turn, element);
}

/** A recording beside the document takes no time as an element. */
function isRunByItself(instruction: Instruction): boolean {
  return instruction.element === 'Record' && (instruction.recordSession || instruction.startOnDialAnswer);
}

function carryOut(turn: Turn, element: QueuedElement) {
  const { instruction } = element;
  switch (instruction.element) {
    case 'PreAnswer': {
      const children = instruction.children.map(
        (child): QueuedElement => ({ instruction: child, recording: null, legs: [], isBeforeAnswer: true }),
      );
      change(turn, { rest: [...children, ...turn.run.rest] });
      break;
    }
    case 'Redirect':
      endElement(turn, 'Answer XML');
      return fetchNext(turn, instruction.request, 'redirect', {});
    case 'Hangup':
      return hangup(turn, instruction);
    case 'Dial':
      return dial(turn, instruction, element.legs);
    case 'Record':
      return recordBeside(turn, instruction, element);
  }
  finish(turn, { type: 'next' });
}

function hangup(turn: Turn, { reason, scheduleSeconds }: Extract<Instruction, { element: 'Hangup' }>) {
  if (scheduleSeconds > 0) {
    turn.effects.push({ do: 'start-timer', key: 'schedule', at: turn.now + scheduleSeconds * 1000 });
    return finish(turn, { type: 'next' });
  }
  if (reason === null || turn.run.medium === 'answered') return leave(turn, documentEnds(4000));
  leave(turn, documentEnds(reason === 'busy' ? 3010 : 3020));
}

function dial(turn: Turn, instruction: Dial, legs: readonly string[]) {
  const { call, medium } = turn.run;
  const state = newDial(instruction, {
    aLeg: call.leg,
    aLegAnswered: medium === 'answered',
    aLegEarly: medium === 'early',
    callerId: call.from,
    callerName: instruction.callerName ?? call.callerName,
    legs,
    requestUuid: call.requestUuid,
  });
  settleDial(turn, advanceDial(turn, state, { type: 'begin' }));
}

function settleDial(turn: Turn, state: DialState) {
  const { current } = turn.run;
  if (current === null) return;
  change(turn, { current: { ...current, state: { kind: 'dial', dial: state } } });
  if (!isDialOver(state)) return;
  const { action, redirect } = state.dial;
  finish(turn, actionOrNext(action, redirect, dialResultOf(state)));
}

/** Begins now, or when a phone has answered a Dial, and lasts until the call ends. */
function recordBeside(turn: Turn, instruction: RecordElement, { recording }: QueuedElement) {
  if (recording === null) return finish(turn, { type: 'next' });
  const started = startedRecording(instruction, recording, turn.run.call.leg, true);
  if (instruction.startOnDialAnswer) {
    change(turn, { onDialAnswer: [...turn.run.onDialAnswer, started] });
    return finish(turn, { type: 'next' });
  }
  startRecording(turn, started, false);
  finish(turn, actionOrNext(instruction.action, instruction.redirect, fieldsOfBegunRecording(started)));
}

function settle(turn: Turn, { state, effects, outcome }: ElementStep<ElementState>) {
  const { current } = turn.run;
  if (current === null) return;
  change(turn, { current: { ...current, state } });
  for (const effect of effects) obeyElement(turn, effect);
  if (outcome !== undefined) finish(turn, outcome);
}

function finish(turn: Turn, outcome: Outcome) {
  const { current, limits } = turn.run;
  if (current !== null && turn.now - current.since >= limits.restMs) change(turn, { idleSteps: 0 });
  endElement(turn, 'Answer XML');
  if (outcome.type === 'next') return;
  const { request, redirect, fields, isLogged } = outcome;
  if (redirect) return fetchNext(turn, request, 'action', fields);
  if (isLogged) turn.effects.push({ do: 'emit', event: { type: 'action', request, fields } });
  else turn.effects.push({ do: 'report', request, fields: { ...fields, Event: 'Redirect' } });
}
