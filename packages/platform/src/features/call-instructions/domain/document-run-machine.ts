import type { Instant, Machine, Step } from '@jackfield/ports';
import type { CallEnd, OwnedLegNotice } from '../../calls/index.ts';
import type { RecordingOver } from '../../recordings/index.ts';
import { isReplaceable } from './dial/dial-machine.ts';
import { documentEnds } from './document-end.ts';
import type { DocumentRun, RunEffect, RunInput, TransferReply } from './document-run.ts';
import type { ElementInput } from './elements/element.ts';
import { fieldsOfRecording } from './elements/record.ts';
import { documentFailed, documentFetched, fetchFirst, fetchTransfer } from './run-documents.ts';
import { feedDial, feedElement, launchCurrent, proceed } from './run-elements.ts';
import { gone, leave } from './run-end.ts';
import { change, elementKeyOf, reclaim, remark, type Turn } from './run-turn.ts';

export const documentRunMachine: Machine<DocumentRun, RunInput, RunEffect> = { step };

function step(run: DocumentRun, input: RunInput, now: Instant): Step<DocumentRun, RunEffect> {
  const turn: Turn = { run, effects: [], now };
  if (run.phase === 'over' || run.phase === 'closing' || run.phase === 'leaving') takeAfterEnd(turn, input);
  else takeLive(turn, input);
  return { state: turn.run, effects: turn.effects };
}

/** Nothing is run any more: what is left are the end of the leg and files that are being completed. */
function takeAfterEnd(turn: Turn, input: RunInput) {
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

function takeLive(turn: Turn, input: RunInput) {
  const { run } = turn;
  switch (input.type) {
    case 'opened':
      return;
    case 'begin':
      return begin(turn);
    case 'document-fetched':
      if (run.fetch?.id === input.fetch) documentFetched(turn, run.fetch.request, input);
      return proceed(turn);
    case 'document-failed':
      if (run.fetch?.id === input.fetch) documentFailed(turn, run.fetch, input);
      return;
    case 'play-over':
      return playOver(turn, input.play, input.sentences);
    case 'recording-over':
      return recordingOver(turn, input);
    case 'joined':
      // It was to join before a transfer, and did so after it.
      if (run.current?.state.kind !== 'multiparty') reclaim(turn);
      return;
    case 'agent-joined':
      if (run.joins === input.join) feedElement(turn, { type: 'returned', remarks: {} });
      return;
    case 'join-refused':
      if (run.joins === input.join) feedElement(turn, input);
      return;
    case 'stream-ended':
      return feedElement(turn, input);
    case 'remark':
      return remark(turn, input.sentence);
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

/** Of the leg that the documents run on. */
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
      // A phone that we call has no document before it answers.
      if (run.medium !== 'none' || run.phase === 'waiting') return;
      change(turn, { medium: 'early' });
      feedDial(turn, { type: 'caller-early' });
      return launchCurrent(turn);
    case 'leg-answered':
      if (run.medium === 'answered') return;
      change(turn, { medium: 'answered', asked: 'answered' });
      if (run.phase === 'waiting') {
        turn.effects.push({ do: 'cancel-timer', key: 'hangup-on-ring' });
        return begin(turn);
      }
      feedDial(turn, { type: 'caller-answered' });
      return launchCurrent(turn);
    case 'leg-digit':
      feedDial(turn, notice);
      return feedElement(turn, { type: 'digit', digit: notice.digit });
    case 'leg-voice':
      return feedElement(turn, { type: 'voice', speaking: notice.speaking });
    case 'leg-given':
      change(turn, { isReclaiming: false });
      return;
    case 'leg-returned':
      return feedElement(turn, { type: 'returned', remarks: notice.remarks });
    case 'leg-taken':
      // Ours called back from whom it was lent to is no loss.
      if (!run.isReclaiming) gone(turn, 'API Request');
      return;
    case 'leg-ended':
      return gone(turn, notice.end.source);
  }
}

/** Of a leg that a Dial has dialled. */
function calledLegNotice(turn: Turn, notice: OwnedLegNotice) {
  switch (notice.type) {
    case 'leg-ringing':
    case 'leg-early':
    case 'leg-answered':
    case 'leg-digit':
    case 'leg-ended':
      return feedDial(turn, notice);
    case 'leg-given':
      // It was in another conversation, and takes a place in this one.
      return feedDial(turn, { type: 'leg-answered', leg: notice.leg });
    case 'leg-taken': {
      // It goes its own way: to the dial it is as good as gone.
      const end = documentEnds(4000, 'API Request');
      return feedDial(turn, { type: 'leg-ended', leg: notice.leg, end, durationSeconds: 0 });
    }
  }
}

function playOver(turn: Turn, play: string, sentences: readonly string[]) {
  for (const sentence of sentences) remark(turn, sentence);
  feedDial(turn, { type: 'play-over', play });
  const key = Object.keys(turn.run.plays).find((each) => turn.run.plays[each] === play);
  if (key === undefined) return;
  const { [key]: _, ...plays } = turn.run.plays;
  change(turn, { plays });
  feedElement(turn, { type: 'play-over', key });
}

function recordingOver(turn: Turn, over: RecordingOver) {
  const found = turn.run.recordings.find(({ recording }) => recording.uuid === over.recording);
  if (found === undefined) return;
  change(turn, { recordings: turn.run.recordings.filter((each) => each !== found) });
  if (found.isAwaited) return feedElement(turn, { type: 'recording-over', over });
  if (over.outcome === 'failed') remark(turn, `recording ${over.recording} failed`);
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
  if (elementKey === undefined) return feedDial(turn, { type: 'timer-fired', key });
  if (!turn.run.timers.includes(key)) return;
  change(turn, { timers: turn.run.timers.filter((each) => each !== key) });
  feedElement(turn, { type: 'timer-fired', key: elementKey } satisfies ElementInput);
}

function scheduled(source: CallEnd['source']): CallEnd {
  return documentEnds(6000, source);
}

function transfer(turn: Turn, input: Extract<RunInput, { type: 'transfer' }>) {
  if (turn.run.phase === 'waiting') return reply(turn, 'unanswered');
  reply(turn, 'transferred');
  fetchTransfer(turn, input);
}

function succeed(turn: Turn, { leg, place, from, to }: Extract<RunInput, { type: 'succeed' }>) {
  const isPlace = connectedLeg(turn.run) === place && isPlaceOf(turn.run);
  reply(turn, isPlace);
  if (isPlace) feedDial(turn, { type: 'leg-succeeding', leg, from, to });
}

function release(turn: Turn) {
  const spared = connectedLeg(turn.run);
  reply(turn, spared !== undefined);
  if (spared === undefined) return;
  const before = turn.effects.length;
  gone(turn, 'Caller');
  const stops = turn.effects.splice(before);
  turn.effects.push(...stops.filter((effect) => effect.do !== 'hang-up' || effect.leg !== spared));
}

/** The leg that talks with the one that the documents run on. */
export function connectedLeg({ current }: DocumentRun): string | undefined {
  const dial = current?.state.kind === 'dial' ? current.state.dial : undefined;
  return dial?.phase === 'bridged' ? (dial.winner ?? undefined) : undefined;
}

/** Whether the connected leg can be replaced, or both be released. */
export function isPlaceOf({ current }: DocumentRun): boolean {
  return current?.state.kind === 'dial' && isReplaceable(current.state.dial);
}

function reply(turn: Turn, answer: TransferReply | boolean) {
  turn.effects.push({ do: 'reply', reply: answer });
}
