import { newDice } from '../walks/walk.ts'
import { pause } from './clients.ts'
import { ACTS } from './crashacts.ts'
import { checkHistory, checkScene } from './crashcheck.ts'
import { closeScene, comesBack, keepsFailed, newScene, type Scene } from './crashscene.ts'
import { type Form, must, type Outcome, seconds } from './fault.ts'
import { type Accuse, emptyVerdict } from './law.ts'
import { now } from './recorder.ts'
import { watchKeys } from './senderdata.ts'
import { tearsRecord } from './torn.ts'

const LONG = 200
/** Its longest step takes seconds, and each wait in it ends. */
const ROUND_MS = 300_000
/** The ten of CI. A chat password costs seconds in each act with it. */
const SHORT = [...Object.keys(ACTS), 'sending', 'receiving', 'uploading']

/** Kills a real browser with two tabs in the middle of what a person does there: nothing acknowledged is lost, nothing is there twice. */
export async function killBrowsers({ isShort, kills = isShort ? SHORT.length : LONG, seed = newSeed() }: Form): Promise<Outcome> {
  const dice = newDice(seed)
  const scene = await newScene(dice)
  const verdict = emptyVerdict()
  const complaints: string[] = []
  const counts = new Map<string, number>()
  const backMs: number[] = []
  let losses = 0
  let where = ''
  const accuse: Accuse = (breach, words) => void verdict[breach].push(`${where}: ${words}`)
  try {
    const keys = await watchKeys(scene.bob, scene.chatRoomId, scene.alice.id)
    const names = isShort ? SHORT : Object.keys(ACTS)
    const round = async (name: string) => {
      const since = await killIn(scene, name)
      const hasLost = await comesBack(scene)
      backMs.push(now() - since)
      losses += Number(hasLost)
      await ACTS[name]?.ends?.(scene)
      await checkScene(scene, keys, accuse)
      if (hasLost) await checkHistory(scene, accuse)
    }
    const damaged = async () => {
      await scene.open.kill()
      tearsRecord(scene.profile)
      if (!(await comesBack(scene))) throw new Error('The browser was to delete its damaged databases')
      await checkScene(scene, keys, accuse)
      await checkHistory(scene, accuse)
    }
    for (let kill = 0; kill < kills; kill++) {
      const name = names[kill % names.length] ?? ''
      counts.set(name, (counts.get(name) ?? 0) + 1)
      where = `seed ${seed}, kill ${kill + 1}, ${name}`
      await inTime(round(name))
    }
    // Chromium does it once in some hundred kills, so a short run sees it only here.
    where = `seed ${seed}, a torn record`
    await inTime(damaged())
  } catch (error) {
    const words = error instanceof Error ? (error.stack ?? error.message) : String(error)
    complaints.push(`${where}: ${words}\n${await keepsFailed(scene)}`)
  } finally {
    await closeScene(scene)
  }
  const done = [...counts].map(([name, count]) => `${count} ${name}`).join(', ')
  return {
    faults: backMs.length,
    summary: `seed ${seed}: ${backMs.length} kills (${done}); back after ${seconds(Math.max(...backMs))} at most; the browser lost its storage ${losses} times; ${scene.written.size} texts and ${scene.files.size} files`,
    complaints: [...complaints, ...must(backMs.length === kills, `it was to be ${kills} kills`)],
    verdict,
    operations: scene.written.size + scene.files.size,
  }
}

/** Begins the act in one of the tabs, and kills the browser at some moment of it. Returns when. */
async function killIn(scene: Scene, name: string): Promise<number> {
  const act = ACTS[name]
  if (!act) throw new Error(`There is no act ${name}`)
  const page = scene.dice.pick(scene.open.tabs)
  await act.prepares?.(scene, page)
  const doing = act.begins(scene, page)
  doing.catch(() => undefined)
  await pause(scene.dice.below(act.withinMs))
  const since = now()
  await scene.open.kill()
  // Only what goes on outside of the browser ends well.
  await doing.catch(() => undefined)
  return since
}

/** What waits for ever is told, too. */
async function inTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It did not end within ${seconds(ROUND_MS)}`)), ROUND_MS)
  })
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}

const newSeed = (): number => Math.floor(Math.random() * 2 ** 32)
