import { Check, CircleAlert, LoaderCircle, Minus } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { useCopy } from '../../ui/useCopy.tsx'
import { isBehindTor } from './address.ts'
import { copiedResults, type TestName, type TestResult, testConnection } from './testConnection.ts'
import './test.css'

const NAMES: Record<TestName, string> = {
  ...{ microphone: 'Microphone', camera: 'Camera', relay: 'Relay', udp: 'UDP', tcp: 'TCP', tls: 'TLS on 443' },
}
const ALWAYS = 'What calls can use from here. Done once a day by itself before the first call.'
const BY_TOR = 'By Tor only your devices are tried, and nothing by itself.'
const ORDER = Object.keys(NAMES) as TestName[]
const ICONS = { ok: Check, bad: CircleAlert, none: Minus, run: LoaderCircle }

/** Shows what calls can use from here: lines that tick one after the other. */
export function TestConnection({ onClose }: { onClose: () => void }) {
  const env = useEnv()
  const [results, setResults] = useState<TestResult[]>([])
  const [failure, setFailure] = useState<string>()
  const { isCopied, copy } = useCopy(copiedResults(results, NAMES))
  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    const onResult = (result: TestResult) => setResults((before) => [...before, result])
    setResults([])
    testConnection(env, { hasDevices: true, onResult, signal }).catch((error: unknown) => {
      if (!signal.aborted) setFailure(failureWords(error))
    })
    return () => stop.abort()
  }, [env])
  const isDone = results.length === ORDER.length
  const running = failure ? undefined : ORDER[results.length]
  return (
    <Dialog title="Test my connection" text={isBehindTor() ? BY_TOR : ALWAYS} onClose={onClose}>
      <ul className="tests">
        {ORDER.map((name) => {
          const result = results.find((one) => one.name === name)
          const state = result?.state ?? (name === running ? 'run' : undefined)
          const Icon = state && ICONS[state]
          return (
            <li key={name} className={state}>
              {Icon ? <Icon className={state === 'run' ? 'i i-16 spin' : 'i i-16'} aria-hidden /> : <span />}
              <b>{NAMES[name]}</b>
              <span>{result?.found ?? (state === 'run' ? 'Trying...' : '')}</span>
              {result?.meaning && <p>{result.meaning}</p>}
            </li>
          )
        })}
      </ul>
      {failure && <p role="alert">{failure}</p>}
      <p className="sr" role="status">
        {isDone && spokenEnd(results)}
      </p>
      <footer>
        <button type="button" className="btn outline" disabled={!isDone} onClick={() => void copy()}>
          {isCopied ? 'Copied' : 'Copy the result'}
        </button>
        <button type="button" className="btn primary" onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  )
}

function spokenEnd(results: TestResult[]): string {
  const bad = results.filter(({ state }) => state === 'bad').map(({ name }) => NAMES[name])
  return bad.length === 0 ? 'Everything works' : `These do not work: ${bad.join(', ')}`
}
