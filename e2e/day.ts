import type { Driver } from './driver.ts'
import type { Visitor } from './visitor.ts'

/** Somebody at any browser, with the page for what only a walk through the whole day does. */
type Walker = Visitor & { driver: Driver }

/** Creates an account on the screen, and writes its recovery kit down. */
export async function registers({ driver, name, username, password }: Walker, url: string): Promise<void> {
  await driver.open(`${url}/auth`)
  await driver.type('Username cannot be changed later', username)
  await driver.type('Display name 1 to 50 characters', name)
  await driver.type('Password 6 to 100 characters', password)
  await driver.type('Repeat password', password)
  await driver.press({ role: 'button', name: 'Create account' })
  await driver.sees({ css: '.kit-words .mono' })
  const words = await driver.asks(() => [...document.querySelectorAll('.kit-words .mono')].map((each) => each.textContent))
  await driver.press({ role: 'button', name: 'I have written it down' })
  await driver.sees({ css: '.kit-three label' })
  const asked = await driver.asks(() => [...document.querySelectorAll('.kit-three label')].map((each) => each.textContent))
  for (const label of asked) await driver.type(label.trim(), words[Number(label.replace(/\D/g, '')) - 1] ?? '')
  await driver.press({ role: 'button', name: 'Check' })
  await driver.press({ role: 'button', name: 'Open Conclave' })
  await driver.sees({ role: 'button', name: 'Add by Username/Onion' })
}

/** Buys Premium by a test card, and comes back to the list. */
export async function buysPlan(one: Walker, url: string): Promise<void> {
  const { driver } = one
  await driver.open(`${url}/subscribe`)
  await driver.press({ role: 'button', name: 'Choose Premium' })
  await driver.type('Card number', '4242 4242 4242 4242')
  await driver.press({ role: 'button', name: 'Pay $1,000.00' })
  await driver.sees({ css: 'main', text: 'Your payment is confirmed' })
  await driver.press({ css: 'a', text: 'Back to your chats' })
  await one.hasPlan()
}

/** Switches the lock of this browser on, locks it and opens it, without loading the page anew. */
export async function locksAndUnlocks(one: Walker): Promise<void> {
  const { driver, password } = one
  await driver.press({ role: 'button', name: 'Profile Settings' })
  await driver.press({ role: 'tab', name: 'Security' })
  await driver.press({ css: '.segments label', text: '5 minutes' })
  await driver.type('Password of this account', password)
  await driver.press({ role: 'button', name: 'Switch on' })
  await driver.misses({ css: '.dialog' })
  await driver.press({ css: 'button', text: 'Lock now' })
  await unlocks(one)
}

/** Opens the lock that is on the screen. */
export async function unlocks({ driver, password }: Walker): Promise<void> {
  await driver.sees({ role: 'heading', name: 'Locked' })
  await driver.type('Password', password)
  await driver.press({ role: 'button', name: 'Unlock' })
  await driver.misses({ role: 'heading', name: 'Locked' })
}
