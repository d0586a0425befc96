/** A random generator that a seed determines: the same seed gives the same walk. */
export interface Dice {
  /** Returns an integer from 0 to below `count`. */
  below(count: number): number
  /** Returns an element of the list. Throws if the list is empty. */
  pick<T>(list: readonly T[]): T
}

/** An actor, which does one thing at a time. */
export interface Doer {
  name: string
}

/** A possible next act. */
export interface Step {
  /** The actors that the step occupies. The first one performs it. */
  busy: [Doer, ...Doer[]]
  does(dice: Dice): Promise<void>
}

/** An act that the walk repeats, by varying actors. */
export interface Verb<World> {
  /** The relative frequency of the verb. */
  weight: number
  /** Returns the steps that are possible now. */
  now(world: World): Step[]
}

interface Walk<World> {
  seed: number
  steps: number
  verbs: Record<string, Verb<World>>
  world: World
  /** Waits until nothing is pending, then asserts the invariants. With `isEnd` it checks everything once more. */
  settle(world: World, isEnd: boolean): Promise<void>
}

/** Maximum number of simultaneous steps. */
const AT_ONCE = 3
/** Maximum number of bursts before everything settles. */
const BURSTS = 4

/**
 * Takes random steps: bursts of steps by different actors, with a check of the settled world in between. Throws the error of a
 * step or a check with the seed and all steps so far; `WALK_SEED` repeats the choices.
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
  /** The seed of the step's own dice, so that simultaneous steps do not change its choices. */
  seed: number
}

/** Chooses steps that can run at the same time: no actor is in two of them. */
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

/** Waits for all steps, also if one fails, then throws the first failure. */
async function together(steps: Promise<void>[]): Promise<void> {
  for (const step of await Promise.allSettled(steps)) if (step.status === 'rejected') throw step.reason
}

/** mulberry32: small, and deterministic on every platform. */
export function newDice(seed: number): Dice {
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
