import type { Recordings, Voicemail } from '@jackfield/platform';

const longestMessageSeconds = 120;

/** Voicemail messages are recordings of the first account: `GET Recording/?to_number=…` lists them. */
export function createVoicemail(recordings: Recordings, account: string, newUuid: () => string): Voicemail {
  const taken = new Map<string, string>();
  recordings.ownedBy('sandbox-voicemail', (leg, notice) => {
    if (notice.type === 'recording-over') taken.delete(leg);
  });
  return {
    async record({ leg, from, to }) {
      const recording = newUuid();
      taken.set(leg, recording);
      await recordings.start({
        recording,
        account,
        mainAccount: account,
        owner: { kind: 'sandbox-voicemail', id: leg },
        type: 'normal',
        callUuid: leg,
        from,
        to,
        format: 'wav',
        tracks: [{ said: [leg], heard: [] }],
        maxSeconds: longestMessageSeconds,
      });
    },
    stop(leg) {
      const recording = taken.get(leg);
      if (recording !== undefined) recordings.stop(recording);
    },
  };
}
