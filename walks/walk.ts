/** Chance that a seed decides: the same seed is the same walk. */
export interface Dice {
  /** A whole number from 0 to below this. */
  below(count: number): number
  /** One of the list, which is not empty. */
  pick<T>(list: readonly T[]): T
}

/** Somebody or something that does one thing at a time. */
export interface Doer {
  name: string
}

/** Something that could happen now. */
export interface Step {
  /** Who is busy with it, and what must not be touched meanwhile. */
  busy: [Doer, ...Doer[]]
  does(dice: Dice): Promise<void>
}

/** Something that happens again and again, by one or the other. */
export interface Verb<World> {
  /** How often, next to the others. */
  weight: number
  /** By whom it could happen now. */
  now(world: World): Step[]
}

interface Walk<World> {
  seed: number
  steps: number
  verbs: Record<string, Verb<World>>
  world: World
  /** Waits until nothing is on its way any more, then asserts what must hold; at the end once more, of everything. */
  settle(world: World, isEnd: boolean): Promise<void>
}

/** So many steps happen at once, at most. */
const AT_ONCE = 3
/** After so many bursts at most, everything settles. */
const BURSTS = 4

/**
 * Walks at random: bursts of steps by different doers, and in between everything settles and is looked at. Throws what a step or a look
 * threw, with the seed and every step so far: `WALK_SEED` repeats the choices.
 */
export async function walk<World>({ seed, steps, verbs, world, settle }: Walk<World>): Promise<void> {
  const dice = newDice(seed)
  const trail: string[] = []
  try {
    for (let taken = 0; taken < steps; ) {
      for (let bursts = 1 + dice.below(BURSTS); bursts > 0 && taken < steps; bursts--) {
        const burst = chooseSteps(verbs, world, dice, Math.min(1 + dice.below(AT_ONCE), steps - taken))
        if (burst.length === 0) throw new Error('Nothing can happen any more')
        taken += burst.length
        trail.push(burst.map(({ name, step }) => `${step.busy[0].name} ${name}`).join(' | '))
        await together(burst.map(({ step, seed }) => step.does(newDice(seed))))
      }
      trail.push('settled')
      await settle(world, taken >= steps)
    }
  } catch (error) {
    throw new Error(`WALK_SEED=${seed}, after:\n${trail.map((line) => `  ${line}`).join('\n')}`, { cause: error })
  }
}

interface Chosen {
  name: string
  step: Step
  /** Of its own dice: what happens beside it changes nothing in it. */
  seed: number
}

/** Steps that can happen now, side by side: nobody is in two of them. */
function chooseSteps<World>(verbs: Record<string, Verb<World>>, world: World, dice: Dice, count: number): Chosen[] {
  const chosen: Chosen[] = []
  const busy = new Set<Doer>()
  while (chosen.length < count) {
    const possible = Object.entries(verbs).flatMap(([name, { weight, now }]) => {
      const steps = now(world).filter((step) => !step.busy.some((doer) => busy.has(doer)))
      return steps.length > 0 ? Array.from({ length: weight }, () => ({ name, steps })) : []
    })
    if (possible.length === 0) return chosen
    const { name, steps } = dice.pick(possible)
    const step = dice.pick(steps)
    for (const doer of step.busy) busy.add(doer)
    chosen.push({ name, step, seed: dice.below(2 ** 32) })
  }
  return chosen
}

/** All of them to their end, also where one fails; then the first failure. */
async function together(steps: Promise<void>[]): Promise<void> {
  for (const step of await Promise.allSettled(steps)) if (step.status === 'rejected') throw step.reason
}

/** mulberry32: small, and the same everywhere. */
function newDice(seed: number): Dice {
  let state = seed >>> 0
  const below = (count: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * count)
  }
  return {
    below,
    pick(list) {
      const one = list[below(list.length)]
      if (one === undefined) throw new Error('There is nothing to pick from')
      return one
    },
  }
}
