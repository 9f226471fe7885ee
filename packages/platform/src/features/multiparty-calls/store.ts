import { readRequest } from '@jackfield/contract';
import { type Database, type Instant, legSpec, type Read, type Write } from '@jackfield/ports';
import { ownerNow, requireOwner } from '../accounts/index.ts';
import { builtInMusic, type MultipartyCall } from './domain/multiparty-call.ts';
import type { EdgeSound, ExitCause, Participant, StatusCallback } from './domain/participant.ts';
import { noRecordings, notRecorded, recordingStatusOf } from './domain/room-recording.ts';
import { saveHearing } from './rooms/hearing-history.ts';
import { type MultipartyCallRow, type ParticipantRow, reading, writing } from './tables.ts';

/** Writes what a step changed: whole new rows, and the changeable columns of known rows. */
export async function saveMultipartyCall(
  write: Write,
  before: MultipartyCall | undefined,
  after: MultipartyCall,
  incarnation: number,
): Promise<void> {
  const tables = writing(write);
  if (before === undefined) {
    await requireOwner(write, after.account, after.mainAccount);
    await tables
      .insertInto('multiparty_calls')
      .values({ ...callRow(after), incarnation })
      .execute();
  } else if (isCallChanged(before, after)) {
    await tables
      .updateTable('multiparty_calls')
      .set({ ...changingOfCall(after), ...(await keeperAtEnd(write, before, after)) })
      .where('mpc_uuid', '=', after.uuid)
      .execute();
  }
  const { hearingChange } = after;
  const isHearingChanged = hearingChange !== null && hearingChange !== before?.hearingChange;
  if (isHearingChanged) await saveHearing(write, after.uuid, hearingChange);
  const known = new Map(before?.participants.map((each) => [each.memberId, each]));
  for (const participant of after.participants) {
    const written = known.get(participant.memberId);
    if (written === undefined) {
      const row = participantRow(after.uuid, participant);
      await tables.insertInto('multiparty_participants').values(row).execute();
    } else if (written !== participant) {
      await tables
        .updateTable('multiparty_participants')
        .set(changingOfParticipant(participant))
        .where('member_id', '=', participant.memberId)
        .execute();
    }
  }
}

/** A live call keeps its account, since its name may be that of a live call of the main account; its record passes on at its end. */
async function keeperAtEnd(
  write: Write,
  before: MultipartyCall,
  { endedAt, account, mainAccount }: MultipartyCall,
): Promise<{ account?: string }> {
  const ends = endedAt !== null && before.endedAt === null;
  return ends ? { account: await ownerNow(write, account, mainAccount) } : {};
}

/** The calls of an ended incarnation that were live or whose end was not reported, with the participants who had not left. */
export async function leftCalls(read: Read, ended: number): Promise<readonly MultipartyCall[]> {
  const tables = reading(read);
  const all = () => tables.selectFrom('multiparty_calls').selectAll().where('incarnation', '=', ended);
  // Two statements, each with its own index.
  const live = await all().where('ended_at', 'is', null).execute();
  const calls = [...live, ...(await all().where('is_end_owed', '=', 1).execute())];
  return Promise.all(
    calls.map(async (row) => {
      const participants = await tables
        .selectFrom('multiparty_participants')
        .selectAll()
        .where('mpc_uuid', '=', row.mpc_uuid)
        .where('exited_at', 'is', null)
        .orderBy('member_id')
        .execute();
      return callOf(row, participants.map(participantOf));
    }),
  );
}

/** From now on what `leftCalls` has given lives in this incarnation. */
export async function claimLeftCalls(write: Write, ended: number, incarnation: number): Promise<void> {
  const all = () =>
    writing(write).updateTable('multiparty_calls').set({ incarnation }).where('incarnation', '=', ended);
  await all().where('ended_at', 'is', null).execute();
  await all().where('is_end_owed', '=', 1).execute();
}

/** The oldest first; a call whose end is not reported yet stays. Resolves with the number removed. */
export function removeEndedCalls(database: Database, endedBefore: Instant, limit: number): Promise<number> {
  return database.transact(async (write) => {
    const tables = writing(write);
    const old = await tables
      .selectFrom('multiparty_calls')
      .select('mpc_uuid')
      .where('ended_at', 'is not', null)
      .where('ended_at', '<', endedBefore)
      .where('is_end_owed', '=', 0)
      .orderBy('ended_at')
      .limit(limit)
      .execute();
    if (old.length === 0) return 0;
    const uuids = old.map(({ mpc_uuid }) => mpc_uuid);
    await tables.deleteFrom('multiparty_hearing').where('mpc_uuid', 'in', uuids).execute();
    await tables.deleteFrom('multiparty_participants').where('mpc_uuid', 'in', uuids).execute();
    await tables.deleteFrom('multiparty_calls').where('mpc_uuid', 'in', uuids).execute();
    return old.length;
  });
}

/** A participant from its row; the row does not keep what only the INVITE needed. */
export function participantOf(row: ParticipantRow): Participant {
  return {
    memberId: row.member_id,
    leg: row.call_uuid,
    requestUuid: row.request_uuid,
    // Legs die with their process, so the row does not keep their origin.
    origin: 'dialled',
    role: row.role,
    spec: legSpec({ from: row.from_address, to: row.to_address, callerName: row.caller_name }),
    phase: row.phase,
    addedAt: row.added_at,
    joinedAt: row.joined_at,
    exitedAt: row.exited_at,
    exitCause: row.exit_cause as ExitCause | null,
    coachMode: row.coach_mode === 1,
    mute: row.mute === 1,
    hold: row.hold === 1,
    startsOnEnter: row.starts_on_enter === 1,
    endsOnExit: row.ends_on_exit === 1,
    // Sounds from URLs cannot be played any more.
    enterSound: edgeSoundOf(row.enter_sound),
    exitSound: edgeSoundOf(row.exit_sound),
    delaySeconds: 0,
    confirmation: null,
    dialMusic: 'none',
    relaysDigits: false,
    joinsOthersOnly: false,
    onExitAction: null,
    rate: {
      perMinute: Number(row.rate_per_minute),
      initialSeconds: row.rate_initial_seconds,
      incrementSeconds: row.rate_increment_seconds,
    },
    bill:
      row.billed_seconds === null ? null : { seconds: row.billed_seconds, units: Number(row.billed_units) },
    isSpeaking: false,
    hasStarted: row.has_started === 1,
    callStatusCallback: readRequest(row.call_status_callback_url, row.call_status_callback_method),
    statusCallback: statusCallbackOf(row),
  };
}

function callOf(row: MultipartyCallRow, participants: readonly Participant[]): MultipartyCall {
  return {
    uuid: row.mpc_uuid,
    account: row.account,
    mainAccount: row.main_account,
    name: row.friendly_name,
    status: row.status,
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    termination: row.termination_code,
    wasJoined: participants.some((each) => each.joinedAt !== null),
    billed: { seconds: row.billed_seconds, units: Number(row.billed_units) },
    maxParticipants: row.max_participants,
    maxDurationSeconds: row.max_duration_seconds,
    stayAlone: row.stay_alone === 1,
    waitsForAgent: false,
    waitSeconds: null,
    recordMinMemberCount: row.record_min_member_count,
    statusCallback: statusCallbackOf(row),
    recordingCallback: readRequest(row.recording_callback_url, row.recording_callback_method),
    recording: notRecorded,
    music: builtInMusic,
    plays: [],
    // Recordings ended with their process.
    recordings: { ...noRecordings, isEndOwed: row.is_end_owed === 1 },
    hearingChange: null,
    participants,
  };
}

function callRow(call: MultipartyCall): Omit<MultipartyCallRow, 'incarnation'> {
  return {
    mpc_uuid: call.uuid,
    account: call.account,
    main_account: call.mainAccount,
    friendly_name: call.name,
    created_at: call.createdAt,
    max_participants: call.maxParticipants,
    max_duration_seconds: call.maxDurationSeconds,
    stay_alone: flag(call.stayAlone),
    record_min_member_count: call.recordMinMemberCount,
    ...statusCallbackColumns(call.statusCallback),
    recording_callback_url: call.recordingCallback?.url ?? null,
    recording_callback_method: call.recordingCallback?.method ?? null,
    ...changingOfCall(call),
  };
}

function changingOfCall(call: MultipartyCall) {
  return {
    status: call.status,
    started_at: call.startedAt,
    ended_at: call.endedAt,
    termination_code: call.termination,
    billed_seconds: call.billed.seconds,
    billed_units: call.billed.units,
    recording: recordingStatusOf(call.recordings),
    is_end_owed: flag(call.recordings.isEndOwed),
  };
}

function isCallChanged(before: MultipartyCall, after: MultipartyCall): boolean {
  return (
    before.status !== after.status ||
    before.startedAt !== after.startedAt ||
    before.billed !== after.billed ||
    before.recordings !== after.recordings
  );
}

function participantRow(mpcUuid: string, participant: Participant): ParticipantRow {
  return {
    member_id: participant.memberId,
    mpc_uuid: mpcUuid,
    call_uuid: participant.leg,
    request_uuid: participant.requestUuid,
    role: participant.role,
    from_address: participant.spec.from,
    to_address: participant.spec.to,
    caller_name: participant.spec.callerName,
    added_at: participant.addedAt,
    starts_on_enter: flag(participant.startsOnEnter),
    ends_on_exit: flag(participant.endsOnExit),
    enter_sound: edgeSoundText(participant.enterSound),
    exit_sound: edgeSoundText(participant.exitSound),
    rate_per_minute: participant.rate.perMinute,
    rate_initial_seconds: participant.rate.initialSeconds,
    rate_increment_seconds: participant.rate.incrementSeconds,
    call_status_callback_url: participant.callStatusCallback?.url ?? null,
    call_status_callback_method: participant.callStatusCallback?.method ?? null,
    ...statusCallbackColumns(participant.statusCallback),
    ...changingOfParticipant(participant),
  };
}

function changingOfParticipant(participant: Participant) {
  return {
    phase: participant.phase,
    joined_at: participant.joinedAt,
    exited_at: participant.exitedAt,
    exit_cause: participant.exitCause,
    billed_seconds: participant.bill?.seconds ?? null,
    billed_units: participant.bill?.units ?? null,
    coach_mode: flag(participant.coachMode),
    mute: flag(participant.mute),
    hold: flag(participant.hold),
    has_started: flag(participant.hasStarted),
  };
}

type StatusCallbackColumns = Pick<
  ParticipantRow,
  'status_callback_url' | 'status_callback_method' | 'status_callback_events'
>;

function statusCallbackColumns(callback: StatusCallback | null): StatusCallbackColumns {
  return {
    status_callback_url: callback?.url ?? null,
    status_callback_method: callback?.method ?? null,
    status_callback_events: callback?.events ?? null,
  };
}

function statusCallbackOf(row: StatusCallbackColumns): StatusCallback | null {
  const callback = readRequest(row.status_callback_url, row.status_callback_method);
  return callback && { ...callback, events: row.status_callback_events ?? '' };
}

function edgeSoundText(sound: EdgeSound): string {
  return typeof sound === 'string' ? sound : sound.url;
}

function edgeSoundOf(text: string): EdgeSound {
  return text === 'beep:1' || text === 'beep:2' ? text : 'none';
}

function flag(value: boolean): number {
  return value ? 1 : 0;
}
