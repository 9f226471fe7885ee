import { timestampWithOffset } from '../../../kernel/timestamps.ts';
import type { ExitCause, Participant } from '../domain/participant.ts';

/**
 * Fields of the request to onExitActionUrl, which the document of a borrowed leg sends when its leg returns
 * (docs/interface/multiparty-calls.md#exit-actions).
 */
export function exitFieldsOf(
  call: { readonly uuid: string; readonly name: string },
  participant: Participant,
): Readonly<Record<string, string>> {
  const { joinedAt, exitedAt } = participant;
  return {
    MPCUUID: call.uuid,
    MPCFriendlyName: call.name,
    MemberID: String(participant.memberId),
    ParticipantCallUUID: participant.leg,
    ParticipantRole: participant.role,
    ParticipantJoinTime: joinedAt === null ? '' : timestampWithOffset(joinedAt),
    ParticipantEndTime: exitedAt === null ? '' : timestampWithOffset(exitedAt),
    ParticipantExitCause: participant.exitCause ?? '',
  };
}

/** The same fields for a document whose multiparty call has ended with its node; `joined` as of the join. */
export function fieldsOfLoss(
  joined: Readonly<Record<string, string>>,
  now: number,
): Readonly<Record<string, string>> {
  const cause: ExitCause = 'Multiparty Call Ended';
  return { ...joined, ParticipantEndTime: timestampWithOffset(now), ParticipantExitCause: cause };
}
