import { expect, test } from 'vitest'
import { CLOSE_LATER, RINGS_PATH } from '../../../contract/frames.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { PACE } from '../http/pace.ts'

const pace = { ...PACE }
const world = await startWorld({ pace })
const { alice, bob, carol, eve } = await world.people()

/** The first frame of another socket, which is then closed. */
async function firstOf(who: Person, path?: string): Promise<string | undefined> {
  const line = await who.opensSocket({}, path)
  await expect.poll(() => line.frames.length).toBeGreaterThan(0)
  line.hangsUp()
  await line.closed
  return line.frames[0]?.type
}

async function isTaken(who: Person) {
  const line = await who.opensSocket()
  await line.hears('hello')
  return line
}

test('a server that holds as many sockets as it may tells one more when to come back, before anything else, and takes it once there is room', async () => {
  expect(PACE).toMatchObject({ socketsMax: 19_000, comingMax: 5000, backPerSecond: 500 })
  pace.socketsMax = 2
  const held = [await isTaken(alice), await isTaken(alice)]
  const refused = await bob.opensSocket()
  expect((await refused.closed).code).toBe(CLOSE_LATER.busy)
  expect(refused.frames.map(({ type }) => type)).toEqual(['come_back'])
  const { seconds } = (await refused.hears('come_back')).data
  expect([seconds >= 40, seconds <= 60]).toEqual([true, true])
  expect([world.env.hub.isHere(bob.id), world.env.hub.isHere(alice.id)]).toEqual([false, true])
  expect(await firstOf(bob, RINGS_PATH)).toBe('come_back')
  await expect(world.stranger().opensSocket()).rejects.toBeRefused(401, 'not_signed_in')
  held[0]?.hangsUp()
  await expect.poll(() => firstOf(bob)).toBe('hello')
  held[1]?.hangsUp()
  await held[1]?.closed
  pace.socketsMax = PACE.socketsMax
})

test('Eve alone does not make the server send others away, however many sockets she opens and leaves half closed', async () => {
  pace.socketsMax = LIMITS.socketsPerUser + 1
  const lines = []
  for (let count = 0; count < LIMITS.socketsPerUser + 5; count++) {
    const line = await isTaken(eve)
    line.raw.pause()
    lines.push(line)
  }
  expect(world.env.hub.size()).toBe(LIMITS.socketsPerUser)
  expect(await firstOf(bob)).toBe('hello')
  for (const { raw } of lines) raw.terminate()
  await expect.poll(() => world.env.hub.size()).toBe(0)
  pace.socketsMax = PACE.socketsMax
})

test('a server that is behind with accounts that came takes no more until it is done; Eve, who comes and goes, counts once', async () => {
  const holder = await world.pool.connect()
  await holder.query('begin; lock table presence in access exclusive mode')
  // The server's own beat counts as one.
  pace.comingMax = 3
  for (let times = 0; times < 5; times++) expect(await firstOf(eve)).toBe('hello')
  expect(await firstOf(bob)).toBe('hello')
  pace.comingMax = 2
  expect(await firstOf(carol)).toBe('come_back')
  await holder.query('rollback')
  holder.release()
  await expect.poll(() => firstOf(carol)).toBe('hello')
  pace.comingMax = PACE.comingMax
})

test('a server that stops lets its first sockets come back by themselves, tells the later ones when, and waits for none that does not answer', async () => {
  pace.backPerSecond = 0.2
  const lines = [await isTaken(alice), await isTaken(bob), await isTaken(eve)]
  lines[2]?.raw.pause()
  await world.gateway.close()
  for (const line of lines.slice(0, 2)) expect((await line.closed).code).toBe(CLOSE_LATER.restart)
  const told = lines.flatMap(({ frames }) => frames.filter(({ type }) => type === 'come_back'))
  expect(told).toEqual([{ type: 'come_back', data: { seconds: 5 } }])
  await expect.poll(() => world.env.hub.size()).toBe(0)
})
