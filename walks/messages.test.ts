import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { startWorld } from '../server/testing/world.ts'
import { newWorld, seatsIn } from './people.ts'
import { settle } from './settle.ts'
import { VERBS } from './verbs.ts'
import { walk } from './walk.ts'

const { WALK_STEPS, WALK_SEED } = process.env
/** `npm run test:walks` takes another seed each time. `npm test` leaves the walk out. */
const STEPS = Number(WALK_STEPS ?? 50)
const SEED = Number(WALK_SEED ?? randomInt(2 ** 31))

const server = await startWorld()

test.runIf(WALK_STEPS)(
  'Alice and Bob do what they like at up to six browsers: every message stands everywhere, once and in one order, and every counter is right',
  async () => {
    const world = await newWorld(server)
    try {
      await walk({ seed: SEED, steps: STEPS, verbs: VERBS, world, settle })
    } finally {
      for (const { tab } of seatsIn(world)) tab.close()
    }
    expect(world.texts.size).toBeGreaterThan(0)
  },
  120_000 + STEPS * 5000,
)
