import { expect, test } from 'vitest'
import { startWorld } from '../server/testing/world.ts'
import { newSeat, newWorld, PATIENCE, type Person, ready, type Seat, seatsOf } from './people.ts'

const server = await startWorld()
const DAY_SECONDS = 86_400
const TWO_DAYS_MS = 2 * DAY_SECONDS * 1000

/** The page is loaded again. */
async function reloads(person: Person): Promise<Seat> {
  const [seat] = seatsOf(person)
  if (!seat) throw new Error('Nobody is there')
  seat.tab.close()
  seat.device.seats.splice(0)
  const next = await newSeat(seat.device, seat.name)
  await ready(next)
  await next.tab.opensRoom()
  return next
}

test('A clock jumps by two days, forward or back, in a browser or at the server: nothing is lost, nobody is signed out, and nothing raises an alarm', async () => {
  const { alice, bob } = await newWorld(server)
  await seatsOf(bob)[0]?.tab.accepts()
  const [device] = alice.devices
  if (!device) throw new Error('Alice has no browser')
  const texts: string[] = []
  const jumps: Record<string, () => void> = {
    'her clock is two days ahead': () => device.browser.jumpsTo(TWO_DAYS_MS),
    'and two days behind': () => device.browser.jumpsTo(-TWO_DAYS_MS),
    'hers is right again, the server is two days ahead': () => {
      device.browser.jumpsTo(0)
      server.passes(2 * DAY_SECONDS)
    },
    'and the server two days behind': () => server.passes(-4 * DAY_SECONDS),
  }
  let hers = await reloads(alice)
  const his = await reloads(bob)
  for (const [words, jump] of Object.entries(jumps)) {
    jump()
    for (const isLoaded of [false, true]) {
      if (isLoaded) hers = await reloads(alice)
      for (const { tab, name } of isLoaded ? [hers] : [hers, his]) {
        const text = `${words}, says ${name}${isLoaded ? ', after a reload' : ''}`
        texts.push(text)
        await tab.says(text)
        for (const { tab: each } of [hers, his]) {
          const said = async () =>
            (await each.history(0)).map(({ body, isOutOfPlace }) =>
              body.kind === 'content' && 'text' in body.content && !isOutOfPlace ? body.content.text : body.kind,
            )
          await expect.poll(said, PATIENCE).toEqual(texts)
        }
      }
    }
    for (const { tab, name } of [hers, his]) {
      const { phase, outbox, row, standing } = await tab.state()
      expect({ phase, outbox, forks: row?.forks, standing, complaints: tab.complaints }, `${words}: ${name}`).toEqual({
        ...{ phase: 'signed_in', outbox: 0, forks: [], standing: 'joined', complaints: [] },
      })
    }
  }
  for (const { tab } of [hers, his]) tab.close()
})
