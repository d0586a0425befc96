import { expect } from 'vitest'
import { talkingAtOwnServer as test } from './people.ts'

test('The server dies between keeping a message and answering: the message is there once', async ({ server, alice, bob }) => {
  await alice.says('before')
  await bob.reads('before')
  await server.kill9()
  await server.start({ CONCLAVE_FAULT: 'message:committed:exit' })
  await alice.page.getByRole('button', { name: 'Send', exact: true }).waitFor()
  await alice.page.waitForFunction(() => !document.querySelector<HTMLTextAreaElement>('[aria-label="Message"]')?.disabled)
  await alice.says('through the crash')
  await server.ended()
  await server.start()
  await bob.reads('through the crash')
  await alice.seesTick('through the crash', 'Read')
  for (const one of [alice, bob]) expect(await one.page.locator('.bub', { hasText: 'through the crash' }).count()).toBe(1)
})

test('The server is killed and comes back: both go on where they were', async ({ server, alice, bob }) => {
  await alice.says('one')
  await bob.reads('one')
  await server.kill9()
  await server.start()
  await alice.page.waitForFunction(() => !document.querySelector<HTMLTextAreaElement>('[aria-label="Message"]')?.disabled)
  await alice.says('two')
  await bob.reads('two')
})
