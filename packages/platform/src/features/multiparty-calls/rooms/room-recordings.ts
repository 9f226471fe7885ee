import type { Logger } from '@jackfield/ports';
import type { NewRecording, Recordings } from '../../recordings/index.ts';
import type { Sounds } from '../../sounds/index.ts';
import { longestEdgeSoundMs, sourceItem } from '../domain/room-plays.ts';
import type { RoomRecordingEffect, RoomRecordingInput } from '../domain/room-step.ts';

export interface RoomRecordingsDeps {
  readonly recordings: Recordings;
  readonly sounds: Sounds;
  readonly newUuid: () => string;
  readonly log: Logger;
  /** Recordings of multiparty calls are owned under this name; the owner's id is the call's UUID. */
  readonly ownerKind: string;
  /** Sends to the session of a call. */
  readonly send: (call: string, input: RoomRecordingInput) => void;
}

type Start = Extract<RoomRecordingEffect, { readonly do: 'start-recording' }>;

/** Carries out the recording effects of a call, and sends their outcomes to its session. */
export function createRoomRecordings(deps: RoomRecordingsDeps) {
  const { recordings, sounds, newUuid, log, ownerKind, send } = deps;
  const announcements = `${ownerKind}-announcement`;

  recordings.ownedBy(ownerKind, (call, notice) => {
    if (notice.type === 'recording-over') {
      send(call, { type: 'recording-over', recording: notice.recording });
    }
  });
  // The play of a start announcement has the name of its recording.
  sounds.ownedBy(announcements, (call, notice) => {
    if (notice.type === 'play-over') send(call, { type: 'announcement-over', recording: notice.play });
  });

  function start(mpc: string, { call, recording, participant, tracks, members }: Start): void {
    const { uuid, of, format, track, channels, transcript } = recording;
    const { account, mainAccount, name } = call;
    const names = { MPCName: name, MPCUUID: mpc };
    const memberId = of === 'call' ? undefined : of;
    const order: NewRecording = {
      recording: uuid,
      account,
      mainAccount,
      owner: { kind: ownerKind, id: mpc },
      type: 'mpc',
      callUuid: participant?.leg ?? '',
      mpc: { uuid: mpc, name },
      from: participant?.spec.from ?? '',
      to: participant?.spec.to ?? '',
      format,
      tracks,
      // It ends with the call.
      maxSeconds: call.maxDurationSeconds,
      trackType: track,
      ...(transcript === undefined ? {} : { transcript }),
      ...(memberId === undefined ? {} : { memberId }),
      ...(channels.length === 0 ? {} : { members }),
      announcement: {
        of: memberId === undefined ? 'MPCRecording' : 'ParticipantRecording',
        callback: recording.callback,
        fields: memberId === undefined ? names : { ...names, MemberID: String(memberId) },
        resource: `${ownerKind}/${mpc}`,
      },
      isPromised: true,
    };
    recordings.start(order).catch((err: unknown) => {
      log.error({ mpc, recording: uuid, err }, 'recording of a multiparty call not started');
      send(mpc, { type: 'recording-over', recording: uuid });
    });
  }

  function announce(
    mpc: string,
    { call, recording, isStart, sound, to }: Extract<RoomRecordingEffect, { readonly do: 'announce' }>,
  ): void {
    sounds.play({
      play: isStart ? recording : newUuid(),
      owner: { kind: announcements, id: mpc },
      to,
      items: [sourceItem(sound)],
      loop: 1,
      lengthMs: longestEdgeSoundMs,
      account: call.account,
      mainAccount: call.mainAccount,
    });
  }

  function perform(mpc: string, effect: RoomRecordingEffect) {
    switch (effect.do) {
      case 'name-recordings': {
        const requested = effect.requested.map((each) => ({ ...each, uuid: newUuid() }));
        return send(mpc, { type: 'record', requested, byItself: true });
      }
      case 'start-recording':
        return start(mpc, effect);
      case 'retrack-recording':
        return recordings.retrack(effect.recording, effect.tracks);
      case 'report-channels':
        return recordings.changeMembers(effect.recording, effect.members);
      case 'pause-recording':
        return recordings.pause(effect.recording);
      case 'resume-recording':
        return recordings.resume(effect.recording);
      case 'stop-recording':
        return recordings.stop(effect.recording);
      case 'announce':
        return announce(mpc, effect);
      case 'stop-announcement':
        return sounds.stop(effect.recording);
    }
  }

  return { perform };
}
