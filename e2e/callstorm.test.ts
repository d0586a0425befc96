import { expect } from 'vitest'
import { CALL_LIMITS } from '../contract/chat/calllimits.ts'
import { customer, startChat, testAtOwnServer as test } from './people.ts'
import type { Person } from './person.ts'

// Run by `npm run test:calls`: minutes of calls.

const CALLS = Number(process.env['CALL_STORM'] ?? 100)
const figure = (text: string) => process.stderr.write(`measured: ${text}\n`)

async function talkers(server: Parameters<typeof customer>[0]): Promise<[Person, Person]> {
  const alice = await customer(server, 'Alice', { hasDevices: true })
  const bob = await customer(server, 'Bob', { hasDevices: true })
  await startChat(alice, bob)
  for (const one of [alice, bob]) await one.allowsAddress()
  await alice.says('shall we talk?')
  await bob.reads('shall we talk?')
  return [alice, bob]
}

/** What a person is shown of a call. */
const stands = async ({ page }: Person): Promise<string> =>
  (await page.locator('.call-words b').count()) > 0
    ? 'talks'
    : (await page.locator('.call, .call-bar, .ring, .toast').allInnerTexts()).join(' | ').replaceAll('\n', ' ')

/** Presses the button of a voice call at this moment, in ms since 1970, whether or not it can be pressed then. */
const pressesAt = ({ page }: Person, at: number) =>
  page.evaluate(async (when) => {
    await new Promise((resolve) => setTimeout(resolve, when - Date.now()))
    document.querySelector<HTMLElement>('button[aria-label="Voice call"]')?.click()
  }, at)

test(`Alice and Bob call each other at the same time, ${CALLS} times: each time they are in one call, with the same words and sound both ways`, async ({
  server,
}) => {
  const [alice, bob] = await talkers(server)
  let [byItself, longest] = [0, 0]
  for (let call = 0; call < CALLS; call++) {
    for (const { page } of [alice, bob]) await page.locator('button[aria-label="Voice call"]:enabled').first().waitFor()
    const at = Date.now() + 200
    // From the same millisecond to where one has rung before the other presses.
    await Promise.all([pressesAt(alice, at), pressesAt(bob, at + (call % 6) ** 3)])
    let isAccepted = false
    await expect
      .poll(
        async () => {
          for (const { page } of [alice, bob]) {
            const accept = page.getByRole('alertdialog').getByRole('button', { name: 'Accept', exact: true })
            if (await accept.count()) {
              isAccepted = true
              await accept.click({ timeout: 1000 }).catch(() => undefined)
            }
          }
          return Promise.all([alice, bob].map(stands))
        },
        { message: `call ${call}`, timeout: CALL_LIMITS.ringSeconds * 1000 },
      )
      .toEqual(['talks', 'talks'])
    expect(await alice.talks()).toBe(await bob.talks())
    await Promise.all([alice.listens(), bob.listens()])
    const ms = Date.now() - at
    longest = Math.max(longest, ms)
    if (!isAccepted) byItself++
    await (call % 2 ? alice : bob).hangsUp()
    await Promise.all([alice, bob].map((one) => one.hasLeftCall()))
  }
  figure(
    `${CALLS} simultaneous calls, ${byItself} of them settled without a press of Accept; the longest was heard after ${longest} ms`,
  )
  for (const one of [alice, bob]) {
    expect(one.complaints).toEqual([])
    await one.leaves()
  }
})

test('A call of more than a minute counts two minutes of the caller, and one whose callee’s browser is gone counts no more after half a minute', async ({
  server,
}) => {
  const [alice, bob] = await talkers(server)
  const used = () =>
    alice.page.evaluate(async () => Number((await (await fetch('/api/subscription/usage')).json()).videoCallMinutesUsed))
  await alice.calls('video')
  await bob.isRung('video')
  await bob.takesCall()
  await Promise.all([alice.talks(), bob.talks()])
  await alice.page.getByText(/^01:0[1-9]$/).waitFor({ timeout: 90_000 })
  await alice.hangsUp()
  expect(await used()).toBe(2)
  await alice.calls('video')
  await bob.isRung('video')
  await bob.takesCall()
  await Promise.all([alice.talks(), bob.talks()])
  const from = Date.now()
  await bob.page.close()
  await alice.page.getByText('Bob left the call', { exact: true }).waitFor({ timeout: 60_000 })
  figure(`a closed page was told after ${Date.now() - from} ms`)
  expect(await used()).toBe(3)
  await alice.leaves()
  await bob.leaves()
})
