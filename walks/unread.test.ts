import { randomInt } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { startWorld } from '../server/testing/world.ts'
import { closeCrowd, newCrowd, settleCrowd, UNREAD_VERBS } from './crowd.ts'
import { hideOneByOne, SEEN_VERBS, settleSeen } from './seen.ts'
import { walk } from './walk.ts'

const { WALK_STEPS, WALK_SEED } = process.env
/** `npm run test:walks` takes many steps with a new seed each time; `npm test` takes few with a fixed seed. */
const STEPS = Number(WALK_STEPS ?? 50)
const SEED = Number(WALK_SEED ?? (WALK_STEPS ? randomInt(2 ** 31) : 1))
const LIMIT_MS = 120_000 + STEPS * 5000

const crowd = await newCrowd(await startWorld())
afterAll(() => closeCrowd(crowd))

test(
  'Three friends write while Alice reads, mutes, blocks, clears and loses the connection at three browsers: every badge says the truth everywhere',
  async () => {
    await walk({ seed: SEED, steps: STEPS, verbs: UNREAD_VERBS, world: crowd, settle: settleCrowd })
    expect(crowd.written).toBeGreaterThan(0)
  },
  LIMIT_MS,
)

test(
  'Alice and three friends come, go, read, type and switch what they show: each sees of another what both show, and nothing of who blocks them',
  async () => {
    await walk({ seed: SEED, steps: STEPS, verbs: SEEN_VERBS, world: crowd, settle: settleSeen })
  },
  LIMIT_MS,
)

test(
  'Whichever of the four things Alice or a friend hides, neither sees it of the other from then on, and everybody goes on seeing the rest',
  () => hideOneByOne(crowd),
  LIMIT_MS,
)
