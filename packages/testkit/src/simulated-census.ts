import type { SimulatedNetwork } from './simulated-network.ts';
import type { SimulatedPhone } from './simulated-phone.ts';
import type { SimulatedPlatform } from './simulated-platform.ts';
import type { SimulatedRecognition } from './simulated-recognition.ts';

/** Live objects of a world, by name; all zero once the last call and its transactions have ended. */
export type Census = Readonly<Record<string, number>>;

export interface CountedWorld {
  readonly nodes: readonly SimulatedPlatform[];
  readonly phones: readonly SimulatedPhone[];
  readonly network: SimulatedNetwork;
  readonly recognition?: SimulatedRecognition;
  /** Ports that stay open with the platform, each as `address:port`. */
  readonly ownPorts: readonly string[];
}

export function censusOf({ nodes, phones, network, recognition, ownPorts }: CountedWorld): Census {
  const counted: Record<string, number> = {};
  const count: Count = (of, things) => {
    for (const [name, number] of Object.entries(things)) {
      const counter = `${of} ${name}`;
      counted[counter] = (counted[counter] ?? 0) + Number(number);
    }
  };
  for (const node of nodes) countNode(node, count);
  count('speech', { recognitions: recognition?.orders.length ?? 0 });
  for (const phone of phones) count(phone.username, phone.census());
  const sipPorts = new Set([
    ...ownPorts,
    ...phones.map(({ signalsAt: { address, port } }) => `${address}:${port}`),
  ]);
  count('network', { ports: network.openPorts().filter((port) => !sipPorts.has(port)).length });
  return counted;
}

type Count = (of: string, things: object) => void;

function countNode({ platform, edge, media, streams }: SimulatedPlatform, count: Count): void {
  for (const [kind, { sessions, timers, queued }] of Object.entries(platform.runner.census())) {
    count(kind, { sessions, timers, queued });
  }
  for (const [feature, things] of Object.entries(platform.census())) count(feature, things);
  count('edge', edge.census());
  count('routed legs of', edge.routedLegs());
  count('sockets', streams.census());
  // Sounds that are not playing are kept for the next call.
  const { clips: _, ...inCalls } = media.census();
  count('media', { ...inCalls, leaks: media.leaks });
}
