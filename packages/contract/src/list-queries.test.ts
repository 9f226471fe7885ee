import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as contract from './index.ts';

const relation = /_(?:gt|gte|lt|lte)$/;

test('each filter with a relation has both spellings, and the same values in both', () => {
  let filters = 0;
  for (const [name, schema] of Object.entries(contract)) {
    const { properties = {} } = Object(schema) as { properties?: Readonly<Record<string, object>> };
    const bare = (filter: string) => ({ ...properties[filter], description: '' });
    for (const filter of Object.keys(properties).filter((each) => relation.test(each))) {
      const [left, right] = filter.split(/__?(?=[a-z]+$)/);
      for (const spelling of [`${left}__${right}`, `${left}_${right}`]) {
        assert.ok(spelling in properties, `${name} has ${filter}, and no ${spelling}`);
        assert.deepEqual(bare(spelling), bare(filter));
      }
      filters++;
    }
  }
  assert.ok(filters > 0);
});
