import type { LaterCalls } from '../public-api.ts';

/** The calls of all features that dial later; of one request only one feature has any. */
export function createLaterCalls(): LaterCalls & { add(feature: LaterCalls): void } {
  const features: LaterCalls[] = [];
  return {
    add: (feature) => void features.push(feature),
    async homeOf(viewer, requestUuid) {
      for (const feature of features) {
        const home = await feature.homeOf(viewer, requestUuid);
        if (home !== undefined) return home;
      }
      return undefined;
    },
    async cancel(viewer, requestUuid) {
      for (const feature of features) if (await feature.cancel(viewer, requestUuid)) return true;
      return false;
    },
  };
}
