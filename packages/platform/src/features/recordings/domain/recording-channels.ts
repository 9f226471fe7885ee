import type { Instant } from '@jackfield/ports';
import type { ChannelMember, RecordedChannel, Recording } from './recording.ts';

/** Length of the file in milliseconds at this instant, without pauses. */
export function positionMs(recording: Pick<Recording, 'recordedMs' | 'runningSince'>, now: Instant): number {
  const { recordedMs, runningSince } = recording;
  return recordedMs + (runningSince === null ? 0 : Math.max(0, now - runningSince));
}

/** Members who are gone leave their channel here; new members enter one here. The same object when no member differs. */
export function withChannels(
  recording: Recording,
  members: readonly ChannelMember[],
  now: Instant,
): Recording {
  const { channels } = recording;
  if (channels === null) return recording;
  const at = positionMs(recording, now);
  const isThere = ({ channel, memberId }: ChannelMember, among: readonly ChannelMember[]) =>
    among.some((each) => each.channel === channel && each.memberId === memberId);
  const present = channels.filter(({ toMs }) => toMs === null);
  const added = members.filter((each) => !isThere(each, present));
  const gone = present.filter((each) => !isThere(each, members));
  if (added.length + gone.length === 0) return recording;
  return {
    ...recording,
    channels: [
      ...channels.map((each) => (gone.includes(each) ? { ...each, toMs: at } : each)),
      ...added.map((each): RecordedChannel => ({ ...each, fromMs: at, toMs: null })),
    ],
  };
}

/** Cuts the channels at the end of the file. */
export function endedChannels(
  channels: readonly RecordedChannel[] | null,
  durationMs: number,
): readonly RecordedChannel[] | null {
  return (
    channels?.map((each) => ({
      ...each,
      fromMs: Math.min(each.fromMs, durationMs),
      toMs: Math.min(each.toMs ?? durationMs, durationMs),
    })) ?? null
  );
}
