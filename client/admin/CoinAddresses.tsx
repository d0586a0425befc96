import { TriangleAlert } from 'lucide-react'
import { useId, useState } from 'react'
import { type CoinAddress, coinAddressesApi } from '../../contract/money/coinaddresses.ts'
import { useEnv } from '../ui/env.tsx'
import { Note } from '../ui/Note.tsx'
import { NotRead } from '../ui/NotRead.tsx'
import { moment } from '../ui/time.ts'
import { Fact, Long } from './CoinReview.tsx'
import { gapWarning, receivedWords, STATUSES, WALLET_NAMES, walletWords } from './coinwords.ts'
import { exportAddresses, placeAfter, type ShownAddresses } from './exportAddresses.ts'
import { Older } from './Older.tsx'
import { Select } from './Select.tsx'
import { useExport } from './useExport.tsx'
import { useLoaded } from './useLoaded.tsx'

const CHOICES = [
  ['received', 'Those that received something'],
  ['all', 'All given out'],
] as const

/** The addresses of the operator’s wallets, and how far a wallet must look to see all of them. */
export function CoinAddresses() {
  const env = useEnv()
  const id = useId()
  const [choice, setChoice] = useState<(typeof CHOICES)[number][0]>('received')
  const [last, setLast] = useState<CoinAddress>()
  const { said, forget, isPending, save } = useExport()
  const shown: ShownAddresses = choice === 'received' ? { only: 'received' } : {}
  const { value, failure, reload } = useLoaded(JSON.stringify([choice, last?.id]), () =>
    env.api(coinAddressesApi.list, { ...shown, ...placeAfter(last) }),
  )

  return (
    <section className="payment-find" aria-labelledby={id}>
      <h2 id={id}>Coin addresses</h2>
      <p className="t2">
        What your wallet has to show, whatever became of the plan, and also after you have moved it. It names no account. A
        download leaves a row in the audit trail.
      </p>
      <Wallets />
      <div className="payment-acts">
        <Select
          label="Which addresses"
          value={choice}
          options={CHOICES}
          onChange={(next) => {
            forget()
            setLast(undefined)
            setChoice(next)
          }}
        />
        <button
          type="button"
          className="btn outline"
          disabled={isPending}
          onClick={() =>
            void save(`coin-addresses-${env.clock().toISOString().slice(0, 10)}.csv`, (onCount) =>
              exportAddresses(env, shown, onCount),
            )
          }
        >
          {isPending ? 'Reading...' : 'Download addresses'}
        </button>
      </div>
      <p className="small t2" role="status">
        {said}
      </p>
      {!value && <NotRead words="The addresses could not be loaded." failure={failure ?? null} onRetry={reload} />}
      {value && failure && <NotRead words="The addresses may be out of date." failure={failure} onRetry={reload} />}
      <div role="status">
        {value?.addresses.length === 0 && (
          <p className="none">{shown.only ? 'Nothing has come to any address yet.' : 'No address was given out yet.'}</p>
        )}
      </div>
      {value && value.addresses.length > 0 && (
        <ul className="payment-rows" aria-label="Coin addresses">
          {value.addresses.map((address) => (
            <Given key={address.id} given={address} />
          ))}
        </ul>
      )}
      {value && (
        <Older
          isNewest={last === undefined}
          hasMore={value.hasMore}
          onNewest={() => setLast(undefined)}
          onOlder={() => setLast(value.addresses.at(-1))}
        />
      )}
    </section>
  )
}

function Given({ given }: { given: CoinAddress }) {
  const { addressIndex, address, status, at } = given
  return (
    <li>
      <header>
        <p>
          <b>{addressIndex === null ? 'Number unknown' : `Address ${addressIndex}`}</b>
          <span className="t2">, {STATUSES[status].toLowerCase()}</span>
        </p>
        <p className="num what">{receivedWords(given)}</p>
      </header>
      <dl className="payment-facts">
        <Long name="Address" text={address} label="Copy the address" />
        <Fact name="Given out">{moment(new Date(at))}</Fact>
      </dl>
    </li>
  )
}

function Wallets() {
  const env = useEnv()
  const { value, failure, reload } = useLoaded('coin-wallets', () => env.api(coinAddressesApi.wallets, {}))
  if (!value) return <NotRead words="The wallets could not be read." failure={failure ?? null} onRetry={reload} />
  const warnings = value.wallets.flatMap((wallet) => gapWarning(wallet) ?? [])
  if (value.wallets.length === 0) return <p className="none">Payments in coins are switched off.</p>
  return (
    <>
      <dl className="payment-facts">
        {value.wallets.map((wallet) => (
          <Fact key={wallet.chain} name={WALLET_NAMES[wallet.chain]}>
            {walletWords(wallet)}
          </Fact>
        ))}
        <Fact name="Looked at">{moment(new Date(value.readAt))}</Fact>
      </dl>
      {warnings.map((warning) => (
        <Note key={warning} icon={TriangleAlert} tone="danger">
          {warning}
        </Note>
      ))}
    </>
  )
}
