import { expect, test } from 'vitest'
import { type Doer, type Verb, walk } from './walk.ts'

const house = { name: 'the house' }
const people = [{ name: 'Alice' }, { name: 'Bob' }]

interface World {
  happened: string[]
  working: Set<Doer>
}

const newWorld = (): World => ({ happened: [], working: new Set() })

/** Makes a verb that records its actor and checks that nobody does two things at once. */
const noted = (word: string, also: Doer[] = []): Verb<World> => ({
  weight: 1,
  now: (world) =>
    people.map((one) => ({
      busy: [one, ...also],
      async does(dice) {
        for (const doer of [one, ...also]) {
          expect(world.working.has(doer)).toBe(false)
          world.working.add(doer)
        }
        await new Promise((resolve) => setImmediate(resolve))
        world.happened.push(`${one.name} ${word} ${dice.below(10)}`)
        for (const doer of [one, ...also]) world.working.delete(doer)
      },
    })),
})

async function walked(seed: number): Promise<string[]> {
  const world = newWorld()
  const verbs = { sits: noted('sits'), stands: noted('stands'), moves: noted('moves', [house]) }
  await walk({ seed, steps: 60, verbs, world, settle: async () => undefined })
  return world.happened
}

test('The same seed is the same walk, another seed another one, and nobody is in two steps at once', async () => {
  const first = await walked(7)
  expect(first).toHaveLength(60)
  expect(await walked(7)).toEqual(first)
  expect(await walked(8)).not.toEqual(first)
})

test('A walk that fails says its seed, its steps in order, and why', async () => {
  const settle = async () => {
    throw new Error('a message is missing')
  }
  const failed = walk({ seed: 3, steps: 5, verbs: { sits: noted('sits') }, world: newWorld(), settle })
  await expect(failed).rejects.toThrow(/^WALK_SEED=3, after:\n( {2}(Alice|Bob) sits.*\n)+ {2}settled$/)
  await expect(failed).rejects.toMatchObject({ cause: new Error('a message is missing') })
})

test('What cannot happen now is left out, and everything settles once more at the end', async () => {
  const world = newWorld()
  const never: Verb<World> = { weight: 50, now: () => [] }
  const ends: boolean[] = []
  const settle = async (_: World, isEnd: boolean) => void ends.push(isEnd)
  await walk({ seed: 1, steps: 20, verbs: { flies: never, sits: noted('sits') }, world, settle })
  expect(world.happened).toHaveLength(20)
  expect(ends.at(-1)).toBe(true)
  expect(ends.slice(0, -1)).not.toContain(true)
})
