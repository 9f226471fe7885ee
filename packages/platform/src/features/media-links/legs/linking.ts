import type { CallEnd, LegMeasures, Logger, MediaLegs, Secrets } from '@jackfield/ports';
import { notFound, type Problem, problem } from '../../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../../kernel/result.ts';
import type { Sessions } from '../../../kernel/session-runner.ts';
import type { Calls, LiveLeg } from '../../calls/index.ts';
import { agreedWith, audioAt, newTerms } from '../audio/link-audio.ts';
import { type MediaLink, type MediaLinkInput, newMediaLink } from '../domain/media-link.ts';
import { newRemoteLeg } from '../domain/remote-leg.ts';
import { audioOf, borrowerOf } from '../link-sessions.ts';
import type { Arrival, JoinAnswer } from '../nodes/link-messages.ts';
import type { RemoteLegs } from '../remote-leg-sessions.ts';

export interface LinkingDeps {
  readonly log: Logger;
  readonly secrets: Pick<Secrets, 'randomBytes'>;
  readonly newUuid: () => string;
  readonly media: LegMeasures;
  readonly mediaLegs: MediaLegs;
  /** At which other nodes reach the audio of this one. */
  readonly mediaAddress: string;
  readonly calls: Calls;
  readonly links: Sessions<MediaLink, MediaLinkInput>;
  readonly remote: RemoteLegs;
}

export type Joined<What> = Result<What> | 'not-there';

/** What a conversation says of a leg that it admits: the fields of its documents. */
interface Welcome {
  readonly fields: Readonly<Record<string, string>>;
}

export interface Joining<What extends Welcome> {
  readonly node: string;
  /** A mix or a leg of the conversation, near which its node opens the audio. */
  readonly beside: string;
  /** Asks that node to admit the leg. */
  ask(arrival: Arrival): Promise<JoinAnswer<What>>;
  readonly isTaken: boolean;
  readonly exitDocument: object | null;
  readonly endOfLoss: CallEnd;
}

/** At the home of the leg: opens the audio of a link, asks for admission, and lends the leg or has it taken. */
export async function linked<What extends Welcome>(
  deps: LinkingDeps,
  leg: LiveLeg,
  { node, beside, ask, ...kept }: Joining<What>,
): Promise<Joined<What>> {
  const name = leg.leg;
  const link = deps.newUuid();
  const terms = newTerms(deps.secrets, (await deps.media.measure([name]))[0]);
  let audio: Arrival['audio'];
  try {
    audio = audioAt(deps.mediaAddress, await deps.mediaLegs.open(audioOf(link), undefined, name));
  } catch (err) {
    deps.log.error({ leg: name, err }, 'audio of a media link not opened');
    return refused(noAudio('this node'));
  }
  const answer = await ask({ link, leg, mix: beside, audio, terms }).catch(async (error: unknown) => {
    await deps.mediaLegs.close(audioOf(link));
    throw error;
  });
  if (answer.outcome !== 'admitted' || answer.audio === undefined) {
    await deps.mediaLegs.close(audioOf(link));
    return joinedBy(answer);
  }
  deps.mediaLegs.connect(audioOf(link), agreedWith(answer.audio, terms, 'leg'));
  const { fields } = answer.admitted;
  await deps.links.open(link, newMediaLink({ link, leg: name, node, fields, ...kept }), { type: 'opened' });
  const { lend, take } = deps.calls;
  if (await (kept.isTaken ? take : lend)(name, borrowerOf(link))) {
    deps.links.send(link, { type: 'lent' });
    return accepted(answer.admitted);
  }
  deps.links.send(link, { type: 'not-lent' });
  return refused(notFound('live call', name));
}

/** At the home of the conversation: opens the audio of the other side, and the leg as one of this node, which `admit` admits or refuses. */
export async function arrived<What extends Welcome>(
  { remote, mediaLegs, mediaAddress, log }: LinkingDeps,
  { link, leg, mix, audio, terms }: Arrival,
  from: string,
  admit: () => Promise<JoinAnswer<What>>,
): Promise<JoinAnswer<What>> {
  await superseded(remote, leg);
  let opened: Arrival['audio'];
  try {
    opened = audioAt(mediaAddress, await mediaLegs.open(leg.leg, undefined, mix));
  } catch (err) {
    log.error({ leg: leg.leg, err }, 'audio of a remote leg not opened');
    return { outcome: 'refused', problem: noAudio('the node of the other call') };
  }
  mediaLegs.connect(leg.leg, agreedWith(audio, terms, 'room'));
  await remote.open(newRemoteLeg({ link, leg, node: from }));
  const withdraw = () => remote.sessions.send(link, { type: 'not-admitted' });
  try {
    const answer = await admit();
    if (answer.outcome === 'admitted') return { ...answer, audio: opened };
    withdraw();
    return answer;
  } catch (error) {
    withdraw();
    throw error;
  }
}

export function joinedBy<What>(answer: JoinAnswer<What>): Joined<What> {
  if (answer.outcome === 'not-there') return 'not-there';
  return answer.outcome === 'refused' ? refused(answer.problem) : accepted(answer.admitted);
}

/** Its home links it again before this node has noticed that the last link is over. */
async function superseded({ sessions, find, closed }: RemoteLegs, { leg }: LiveLeg): Promise<void> {
  const before = find(leg);
  if (before !== undefined) {
    sessions.send(before.link, { type: 'superseded' });
    await sessions.whenOver(before.link);
  }
  await closed(leg);
}

function noAudio(where: string): Problem {
  return problem('limit-reached', `${where} has no port left for its audio`);
}
