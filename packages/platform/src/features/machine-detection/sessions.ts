import { callEnds, type Logger, type Media, type Metrics } from '@jackfield/ports';
import { type WithOutboxEvents, withOutboxEvents } from '../../kernel/outbox-emitting.ts';
import type { SessionRunner } from '../../kernel/session-runner.ts';
import type { Calls } from '../calls/index.ts';
import {
  type Detection,
  type DetectionEffect,
  type DetectionEvent,
  type DetectionInput,
  newDetection,
} from './domain/detection.ts';
import { detectionMachine } from './domain/detection-machine.ts';
import { outboxEventOf } from './events.ts';
import type { MachineDetections, MachineNotice } from './public-api.ts';

export interface SessionDeps {
  readonly runner: SessionRunner;
  readonly log: Logger;
  readonly media: Media;
  readonly metrics?: Pick<Metrics, 'count'>;
  readonly calls: Pick<Calls, 'peek' | 'parametersOf' | 'hangUp' | 'whenAnswered' | 'whenOver'>;
}

const kind = 'machine-detection';

/** One session for each answered leg whose owner asks for the detection, named by the leg. No record is kept: its leg dies with the process. */
export function defineSessions({ runner, log, media, metrics, calls }: SessionDeps): MachineDetections {
  const listeners: Parameters<MachineDetections['listen']>[0][] = [];

  const count = (isMachine: boolean) =>
    metrics?.count('jackfield_machine_detections_total', { result: isMachine ? 'machine' : 'person' });
  const parametersNow = ({ leg }: Detection) => {
    const live = calls.peek(leg.leg);
    return live === undefined ? leg.parameters : calls.parametersOf(live);
  };
  const sessions = runner.define<Detection, DetectionInput, WithOutboxEvents<DetectionEffect>>({
    name: kind,
    machine: withOutboxEvents(detectionMachine, (detection, { event }) =>
      outboxEventOf(detection, event, parametersNow(detection)),
    ),
    isEnded: ({ phase }) => phase === 'over',
    perform(leg, effect) {
      switch (effect.do) {
        case 'watch':
          return media.send({ do: 'watch-answer', leg, watched: effect.watched });
        case 'notify': {
          if (effect.event.type === 'decided') count(effect.event.verdict.isMachine);
          const notice = noticeOf(effect.event);
          for (const listener of listeners) listener(leg, notice);
          return;
        }
        case 'hang-up':
          count(true);
          return calls.hangUp(leg, callEnds(9100, 'Service'));
      }
    },
  });

  media.subscribe((notice) => {
    if (notice.type !== 'answer-sound' || sessions.peek(notice.leg) === undefined) return;
    sessions.send(notice.leg, { type: 'sound', sound: notice.sound });
  });
  calls.whenAnswered((name) => {
    const live = calls.peek(name);
    const order = live?.machineDetection;
    if (live === undefined || order === undefined) return;
    const { account, mainAccount } = live;
    const leg = { leg: name, account, mainAccount, parameters: calls.parametersOf(live) };
    const begun = newDetection(leg, order, live.answeredAt ?? sessions.nowOf(name));
    sessions.open(name, begun, { type: 'begin' }).catch((err: unknown) => {
      log.error({ leg: name, err }, 'detection of an answering machine not begun');
    });
  });
  calls.whenOver((leg) => {
    if (sessions.peek(leg) !== undefined) sessions.send(leg, { type: 'leg-over' });
  });
  return { listen: (listener) => void listeners.push(listener) };
}

function noticeOf(event: DetectionEvent): MachineNotice {
  if (event.type === 'beeped') return { type: 'machine-beeped' };
  return { type: 'machine-decided', isMachine: event.verdict.isMachine };
}
