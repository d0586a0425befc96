import type { TorControl } from '../../settings/torsettings.ts'
import { authenticate, ControlError, connectControl } from './control.ts'
import { EVENTS, followTor } from './follow.ts'
import { OnionError } from './onionError.ts'
import type { OnionKey } from './onionKey.ts'
import type { Say } from './say.ts'
import type { Stoppable } from './supervise.ts'
import { STREAMS_MAX } from './torrc.ts'

const ALREADY_THERE = 550
const UNKNOWN_ARGUMENT = 512

interface Options {
  control: TorControl
  key: OnionKey
  webPath: string
  /** Anybody may come if there is none. */
  clientKeys: string[]
  say: Say
  onPublished: () => void
  patienceMs: number
}

/** Publishes the service by a tor that the operator runs, until this connection ends. Throws OnionError. */
export async function publishBy({ control: where, key, ...options }: Options): Promise<Stoppable> {
  const { webPath, clientKeys, say, onPublished, patienceMs } = options
  const progress = followTor({ address: key.address, onPublished, onWrongClock: say.once })
  const control = await connectControl(where.address, progress.take).catch((error: unknown) => {
    throw new OnionError(`The tor of TOR_CONTROL does not answer: ${error instanceof Error ? error.message : error}`)
  })
  try {
    await authenticate(control, where.password)
    await control.ask(`SETEVENTS ${EVENTS}`)
    for (const line of await control.ask('GETINFO status/bootstrap-phase')) progress.take(line)
    const flags = ['DiscardPK', 'MaxStreamsCloseCircuit', ...(clientKeys.length > 0 ? ['V3Auth'] : [])].join(',')
    const service = [
      `ADD_ONION ED25519-V3:${key.expandedKey.toString('base64')} Flags=${flags} MaxStreams=${STREAMS_MAX}`,
      `Port=80,unix:${webPath}`,
      ...clientKeys.map((each) => `ClientAuthV3=${each}`),
    ].join(' ')
    // tor before 0.4.9 does not know the defence here.
    await control.ask(`${service} PoWDefensesEnabled=1`).catch((error: unknown) => {
      if (error instanceof ControlError && error.status === UNKNOWN_ARGUMENT) return control.ask(service)
      throw error
    })
  } catch (error) {
    control.end()
    throw error instanceof OnionError ? error : new OnionError(refusedWords(error))
  }
  const timer = setTimeout(() => progress.isPublished || say.once(progress.waitsFor()), patienceMs)
  return {
    ended: control.ended.then(() => {
      clearTimeout(timer)
      return 'The control connection to the operator’s tor has ended, and the onion service with it'
    }),
    async stop() {
      control.end()
      await control.ended
    },
  }
}

function refusedWords(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  if (error instanceof ControlError && error.status === ALREADY_THERE)
    return `The operator’s tor publishes this onion service already, for another program: ${text}`
  return `The operator’s tor does not publish the onion service: ${text}`
}
