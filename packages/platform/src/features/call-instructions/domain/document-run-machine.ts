import type { CallEnd, Instant, Machine, Step } from '@jackfield/ports';
import type { OwnedLegNotice } from '../../calls/index.ts';
import type { RecordingOver } from '../../recordings/index.ts';
import { isReplaceable } from './dial/dial-machine.ts';
import { documentEnds } from './document-end.ts';
import type { DocumentRun, RunEffect, RunInput, TransferReply } from './document-run.ts';
import type { ElementInput } from './elements/element.ts';
import { fieldsOfRecording } from './elements/record.ts';
import { documentFailed, documentFetched, fetchFirst, fetchTransfer } from './run-documents.ts';
import { launchCurrent, proceed, stepCurrent, stepCurrentDial } from './run-elements.ts';
import { giveUpDial, gone, leave } from './run-end.ts';
import { change, elementKeyOf, reclaim, type Turn, warn } from './run-turn.ts';

export const documentRunMachine: Machine<DocumentRun, RunInput, RunEffect> = { step };

function step(run: DocumentRun, input: RunInput, now: Instant): Step<DocumentRun, RunEffect> {
  const turn: Turn = { run, effects: [], now };
  if (run.phase === 'over' || run.phase === 'closing' || run.phase === 'leaving') stepEnded(turn, input);
  else stepLive(turn, input);
  return { state: turn.run, effects: turn.effects };
}

/** No document runs any more: only the end of the leg and files that are being completed are awaited. */
function stepEnded(turn: Turn, input: RunInput) {
  const { run } = turn;
  switch (input.type) {
    case 'recording-over':
      recordingOver(turn, input);
      if (turn.run.phase === 'closing' && turn.run.recordings.length === 0) change(turn, { phase: 'over' });
      return;
    case 'leg-ended':
    case 'leg-taken':
      if (run.phase === 'leaving' && input.leg === run.call.leg) gone(turn, 'Service');
      return;
    case 'timer-fired':
      if (run.phase === 'closing' && input.key === 'closing') change(turn, { phase: 'over' });
      return;
    case 'transfer':
      return reply(turn, 'ended');
    case 'succeed':
    case 'release':
      return reply(turn, false);
  }
}

function stepLive(turn: Turn, input: RunInput) {
  const { run } = turn;
  switch (input.type) {
    case 'opened':
      return;
    case 'begin':
      return begin(turn);
    case 'document-fetched':
      if (run.fetch?.id === input.fetch) documentFetched(turn, run.fetch, input);
      return proceed(turn);
    case 'document-failed':
      if (run.fetch?.id === input.fetch) documentFailed(turn, run.fetch, input);
      return;
    case 'play-over':
      return playOver(turn, input.play, input.sentences);
    case 'recording-over':
      return recordingOver(turn, input);
    case 'joined':
      // The leg was ordered to join before a transfer, and joined after it.
      if (run.current?.state.kind !== 'multiparty') reclaim(turn);
      return;
    case 'agent-joined':
      if (run.joins === input.join) stepCurrent(turn, { type: 'returned', fields: {} });
      return;
    case 'join-refused':
      if (run.joins === input.join) stepCurrent(turn, input);
      return;
    case 'stream-ended':
      return stepCurrent(turn, input);
    case 'recognised':
      if (run.recognition === input.recognition) stepCurrent(turn, input);
      return;
    case 'recognition-over':
      if (run.recognition !== input.recognition) return;
      change(turn, { recognition: null });
      return stepCurrent(turn, input);
    case 'warning':
      return warn(turn, input.sentence);
    case 'machine-decided':
      return machineDecided(turn, input.isMachine);
    case 'machine-beeped':
      change(turn, { hasBeeped: true });
      return stepCurrent(turn, { type: 'beeped' });
    case 'timer-fired':
      return timerFired(turn, input.key);
    case 'transfer':
      return transfer(turn, input);
    case 'succeed':
      return succeed(turn, input);
    case 'release':
      return release(turn);
    case 'abandoned':
      return gone(turn, 'Error');
    default:
      return input.leg === run.call.leg ? legNotice(turn, input) : calledLegNotice(turn, input);
  }
}

function begin(turn: Turn) {
  if (turn.run.phase === 'waiting') fetchFirst(turn);
}

/** A transfer may have replaced the first document meanwhile. */
function machineDecided(turn: Turn, isMachine: boolean) {
  const { phase, first } = turn.run;
  if (phase !== 'waiting' || first.awaitsDetection !== true) return;
  fetchFirst(turn, { Machine: String(isMachine) });
}

/** A notice of the leg that the documents run on. */
function legNotice(turn: Turn, notice: OwnedLegNotice) {
  const { run } = turn;
  switch (notice.type) {
    case 'leg-ringing': {
      const seconds = run.first.hangupOnRingSeconds;
      if (run.phase !== 'waiting' || seconds === null) return;
      turn.effects.push({ do: 'start-timer', key: 'hangup-on-ring', at: turn.now + seconds * 1000 });
      return;
    }
    case 'leg-early':
      // An outgoing call has no document before its answer.
      if (run.medium !== 'none' || run.phase === 'waiting') return;
      change(turn, { medium: 'early' });
      stepCurrentDial(turn, { type: 'caller-early' });
      return launchCurrent(turn);
    case 'leg-answered':
      if (run.medium === 'answered') return;
      change(turn, { medium: 'answered', asked: 'answered' });
      if (run.phase === 'waiting') {
        turn.effects.push({ do: 'cancel-timer', key: 'hangup-on-ring' });
        if (run.first.awaitsDetection !== true) begin(turn);
        return;
      }
      stepCurrentDial(turn, { type: 'caller-answered' });
      return launchCurrent(turn);
    case 'leg-digit':
      stepCurrentDial(turn, notice);
      return stepCurrent(turn, { type: 'digit', digit: notice.digit });
    case 'leg-voice':
      return stepCurrent(turn, { type: 'voice', speaking: notice.speaking });
    case 'leg-given':
      change(turn, { isReclaiming: false });
      return;
    case 'leg-returned':
      return stepCurrent(turn, { type: 'returned', fields: notice.fields });
    case 'leg-taken':
      // Our own leg that is reclaimed from a borrower is not lost.
      if (!run.isReclaiming) gone(turn, 'API Request');
      return;
    case 'leg-ended':
      giveUpDial(turn, notice.end.source);
      return gone(turn, notice.end.source);
  }
}

/** A notice of a leg that a Dial has dialled. */
function calledLegNotice(turn: Turn, notice: OwnedLegNotice) {
  switch (notice.type) {
    case 'leg-ringing':
    case 'leg-early':
    case 'leg-answered':
    case 'leg-digit':
    case 'leg-ended':
      return stepCurrentDial(turn, notice);
    case 'leg-given':
      // It comes from another conversation into this one.
      return stepCurrentDial(turn, { type: 'leg-answered', leg: notice.leg });
    case 'leg-taken': {
      // It continues elsewhere: to the dial it has ended.
      const end = documentEnds(4000, 'API Request');
      return stepCurrentDial(turn, { type: 'leg-ended', leg: notice.leg, end, durationSeconds: 0 });
    }
  }
}

function playOver(turn: Turn, play: string, sentences: readonly string[]) {
  for (const sentence of sentences) warn(turn, sentence);
  stepCurrentDial(turn, { type: 'play-over', play });
  const key = Object.keys(turn.run.plays).find((each) => turn.run.plays[each] === play);
  if (key === undefined) return;
  const { [key]: _, ...plays } = turn.run.plays;
  change(turn, { plays });
  stepCurrent(turn, { type: 'play-over', key });
}

function recordingOver(turn: Turn, over: RecordingOver) {
  const found = turn.run.recordings.find(({ recording }) => recording.uuid === over.recording);
  if (found === undefined) return;
  change(turn, { recordings: turn.run.recordings.filter((each) => each !== found) });
  if (found.isAwaited) return stepCurrent(turn, { type: 'recording-over', over });
  if (over.outcome === 'failed') warn(turn, `recording ${over.recording} failed`);
  const { action } = found.recording;
  if (action === null) return;
  const event = { type: 'action', request: action, fields: fieldsOfRecording(over, '') } as const;
  turn.effects.push({ do: 'emit', event });
}

function timerFired(turn: Turn, key: string) {
  // docs/interface/documents.md#hangup: a schedule; docs/interface/calls.md#making-a-call: hangup_on_ring.
  if (key === 'schedule') return leave(turn, scheduled('Answer XML'));
  if (key === 'hangup-on-ring') {
    if (turn.run.phase === 'waiting') leave(turn, scheduled('Service'));
    return;
  }
  const elementKey = elementKeyOf(key);
  if (elementKey === undefined) return stepCurrentDial(turn, { type: 'timer-fired', key });
  if (!turn.run.timers.includes(key)) return;
  change(turn, { timers: turn.run.timers.filter((each) => each !== key) });
  stepCurrent(turn, { type: 'timer-fired', key: elementKey } satisfies ElementInput);
}

function scheduled(source: CallEnd['source']): CallEnd {
  return documentEnds(6000, source);
}

function transfer(turn: Turn, input: Extract<RunInput, { type: 'transfer' }>) {
  if (turn.run.phase === 'waiting' && turn.run.medium !== 'answered') return reply(turn, 'unanswered');
  reply(turn, 'transferred');
  fetchTransfer(turn, input);
}

function succeed(turn: Turn, { leg, replaces: before, from, to }: Extract<RunInput, { type: 'succeed' }>) {
  const mayFollow = connectedLeg(turn.run) === before && hasReplaceableLeg(turn.run);
  reply(turn, mayFollow);
  if (mayFollow) stepCurrentDial(turn, { type: 'leg-succeeding', leg, from, to });
}

function release(turn: Turn) {
  const kept = connectedLeg(turn.run);
  reply(turn, kept !== undefined);
  if (kept === undefined) return;
  const before = turn.effects.length;
  gone(turn, 'Caller');
  const stops = turn.effects.splice(before);
  turn.effects.push(...stops.filter((effect) => effect.do !== 'hang-up' || effect.leg !== kept));
}

/** The leg that a Dial has connected with the leg of the documents. */
export function connectedLeg({ current }: DocumentRun): string | undefined {
  const dial = current?.state.kind === 'dial' ? current.state.dial : undefined;
  return dial?.phase === 'bridged' ? (dial.winner ?? undefined) : undefined;
}

/** Whether the connected leg can be replaced, or both legs be released. */
export function hasReplaceableLeg({ current }: DocumentRun): boolean {
  return current?.state.kind === 'dial' && isReplaceable(current.state.dial);
}

function reply(turn: Turn, answer: TransferReply | boolean) {
  turn.effects.push({ do: 'reply', reply: answer });
}
