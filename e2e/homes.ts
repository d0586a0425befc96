import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext } from 'playwright-core'
import { expect } from 'vitest'
import { DEVICE_WORDS, openBrowser, windowedPath } from './browser.ts'
import { type Coturn, startCoturn } from './coturn.ts'
import { openNetworks, type Place } from './networks.ts'
import { customer, startChat } from './people.ts'
import type { Person } from './person.ts'
import { type RunningServer, startServer } from './server.ts'

export interface Home {
  one: Person
  place: Place
  profile: string
}

export interface Homes {
  relay: Coturn
  server: RunningServer
  /** Alice's and Bob's. */
  homes: [Home, Home]
  /** Another browser in this network. */
  browserIn(place: Place): Promise<{ profile: string; browser: BrowserContext }>
  close(): Promise<void>
}

/** Alice and Bob talk from networks of their own, with a server and a relay that both reach. `isHidden`: behind symmetric NATs. */
export async function openHomes({ isHidden = false } = {}): Promise<Homes> {
  const networks = await openNetworks()
  const relay = await startCoturn(await networks.place())
  const settings = { TURN_URLS: Object.values(relay.urls).join(','), TURN_SECRET: relay.secret }
  const server = await startServer({ TRUST_PROXY: '1', ...settings })

  async function browserIn(place: Place) {
    const profile = await mkdtemp(join(tmpdir(), 'conclave-profile-'))
    const words = [...DEVICE_WORDS, ...relay.words]
    return { profile, browser: await openBrowser(profile, words, await place.program(await windowedPath())) }
  }

  async function comesHome(name: string): Promise<Home> {
    const place = await networks.place({ isHidden })
    await place.reaches(Number(new URL(server.url).port))
    const { profile, browser } = await browserIn(place)
    return { one: await customer(server, name, { browser }), place, profile }
  }

  const homes = await Promise.all([comesHome('Alice'), comesHome('Bob')])
  const [{ one: alice }, { one: bob }] = homes
  await startChat(alice, bob)
  return {
    ...{ relay, server, homes, browserIn },
    async close() {
      for (const { one } of homes) {
        expect(one.complaints).toEqual([])
        await one.leaves()
      }
      await server.stop()
      await networks.close()
    },
  }
}
