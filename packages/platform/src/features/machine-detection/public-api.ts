/** What the detection of answering machines reports about a leg, besides its callback. */
export type MachineNotice =
  /** Not sent for a machine that is hung up. */
  | { readonly type: 'machine-decided'; readonly isMachine: boolean }
  /** The beep after which a recorder records has just ended. */
  | { readonly type: 'machine-beeped' };

/** The public API for owners of legs; `LegSpec.machineDetection` requests the detection. */
export interface MachineDetections {
  /** Calls `listener` for every leg; after the commit of the result. */
  listen(listener: (leg: string, notice: MachineNotice) => void): void;
}
