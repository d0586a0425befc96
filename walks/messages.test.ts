import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { startWorld } from '../server/testing/world.ts'
import { newWorld, seatsIn } from './people.ts'
import { settle } from './settle.ts'
import { VERBS } from './verbs.ts'
import { walk } from './walk.ts'

const { WALK_STEPS, WALK_SEED } = process.env
/** `npm run test:walks` takes many steps with a new seed each time; `npm test` takes few with a fixed seed. */
const STEPS = Number(WALK_STEPS ?? 50)
const SEED = Number(WALK_SEED ?? (WALK_STEPS ? randomInt(2 ** 31) : 10))

const server = await startWorld()

test(
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
