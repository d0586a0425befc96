import { expect } from 'vitest'
import { openLive } from '../client/worker/account/openAccount.ts'
import { devicesApi } from '../contract/account/devices.ts'
import { headlessUser, madeAccount } from './crowd.ts'
import { test } from './people.ts'

test('Bob signs up and opens his keys while accounts are made in other browsers of this process: each keeps its own alone', async ({
  server,
}) => {
  const bob = await headlessUser(server.url, 'bob')
  const names = ['alice', 'carol'].map((name) => `${name}_${Date.now().toString(36)}`)
  const made = names.map((username, at) =>
    madeAccount(server.url, { username, displayName: username, password: `password of ${username}`, address: `10.1.0.${at}` }),
  )
  const others = Promise.all(made)
  const dora = headlessUser(server.url, 'dora')
  let isMade = false
  void others.finally(() => {
    isMade = true
  })
  while (!isMade) {
    const live = await openLive(bob.userId, await bob.env.api(devicesApi.unlock, {}), bob.username)
    live.vault.close()
  }
  const { userId, username, env } = await dora
  expect((await openLive(userId, await env.api(devicesApi.unlock, {}), username)).userId).toBe(userId)
  for (const { disk, user } of await others)
    expect(disk.map(({ name }) => name).sort()).toEqual(['conclave', `conclave-${user.id}`].sort())
})
