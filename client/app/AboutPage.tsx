import { Globe, ScrollText, Server } from 'lucide-react'
import { useStore } from 'zustand'
import { CodePart } from '../me/buildcheck/CodePart.tsx'
import { connectionStore } from '../net/status.ts'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Part } from '../ui/Part.tsx'
import { part } from './settingsWords.ts'

/** What runs here, and whose server it talks to. */
export function AboutPage() {
  const onionAddress = useStore(connectionStore, (state) => state.onionAddress)
  return (
    <>
      <Part {...part('code')}>
        <CodePart />
      </Part>
      <Part {...part('server')}>
        <ul className="lines">
          <li>
            <Server className="i" aria-hidden />
            <div>
              <b>{location.host}</b>
              <p>It passes sealed envelopes on, and knows who writes to whom and when.</p>
            </div>
          </li>
          {onionAddress && (
            <li>
              <Globe className="i" aria-hidden />
              <div>
                <b>Its onion address</b>
                <p className="mono">{onionAddress}</p>
              </div>
              <div className="acts">
                <CopyButton text={onionAddress} label="Copy the server’s onion address" />
              </div>
            </li>
          )}
          <li>
            <ScrollText className="i" aria-hidden />
            <div>
              <b>The ledger of claims</b>
              <p>What holds, how you can tell, and what is not covered.</p>
            </div>
            <div className="acts">
              <a className="btn compact outline" href="/security">
                Read it
              </a>
            </div>
          </li>
        </ul>
      </Part>
    </>
  )
}
