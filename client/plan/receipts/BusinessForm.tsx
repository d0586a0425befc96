import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { type Party, RECEIPT_LIMITS, receiptsApi } from '../../../contract/money/receipts.ts'
import { useEnv } from '../../ui/env.tsx'
import { Field } from '../../ui/Field.tsx'
import { failureWords } from '../../ui/failure.ts'
import { NotRead } from '../../ui/NotRead.tsx'
import { Part } from '../../ui/Part.tsx'
import { useAct } from '../../ui/useAct.tsx'
import { businessDraftStore } from './businessDraft.ts'

/** What was typed meanwhile stays. */
const endDraft = (sent: Partial<Party>) =>
  businessDraftStore.setState(({ draft }) => (draft === sent ? { draft: {} } : { draft }))

const EMPTY: Party = { name: '', address: '', taxId: '' }

/** The business that the next receipts name, if the person wants one there. */
export function BusinessForm() {
  const env = useEnv()
  const id = useId()
  const { act, isPending } = useAct()
  const [kept, setKept] = useState<Party | null>()
  const draft = useStore(businessDraftStore, (state) => state.draft)
  const typed = { ...EMPTY, ...kept, ...draft }
  const [failure, setFailure] = useState<string | null>(null)
  const [error, setError] = useState<string>()
  const name = useRef<HTMLInputElement>(null)

  function load() {
    setFailure(null)
    env.api(receiptsApi.details, {}).then(
      ({ details }) => setKept(details),
      (why) => setFailure(failureWords(why)),
    )
  }
  useEffect(load, [env])

  async function save(event: FormEvent) {
    event.preventDefault()
    if (typed.name.trim() === '') {
      setError('Name of the business is required')
      name.current?.focus()
      return
    }
    const isSaved = await act({
      run: () => env.api(receiptsApi.saveDetails, typed),
      done: () => ({ title: 'Business saved', text: 'Your next receipts name it.' }),
      failed: 'The business was not saved',
    })
    if (!isSaved) return
    setKept({ name: typed.name.trim(), address: typed.address.trim(), taxId: typed.taxId.trim() })
    endDraft(draft)
  }

  async function remove() {
    const isRemoved = await act({
      run: () => env.api(receiptsApi.removeDetails, {}),
      failed: 'The business was not removed',
    })
    if (!isRemoved) return
    setKept(null)
    endDraft(draft)
  }

  const change = (part: Partial<Party>) => {
    businessDraftStore.setState({ draft: { ...draft, ...part } })
    setError(undefined)
  }
  return (
    <Part
      title="Business on receipts"
      text="Optional. Your next receipts name it. This server keeps it beside your account, unsealed, until you remove it; receipts that name it keep it."
    >
      {kept === undefined && <NotRead words="The business could not be loaded." failure={failure} onRetry={load} />}
      {kept !== undefined && (
        <form className="business-form" onSubmit={save} noValidate>
          <Field
            label="Name of the business"
            dir="auto"
            autoComplete="organization"
            maxLength={RECEIPT_LIMITS.nameMax}
            value={typed.name}
            error={error}
            inputRef={name}
            onValue={(value) => change({ name: value })}
          />
          <div className="field">
            <label htmlFor={id}>Address</label>
            <div className="input">
              <textarea
                id={id}
                dir="auto"
                rows={3}
                autoComplete="street-address"
                maxLength={RECEIPT_LIMITS.addressMax}
                value={typed.address}
                onChange={({ target }) => change({ address: target.value })}
              />
            </div>
          </div>
          <Field
            label="Tax id"
            dir="auto"
            autoComplete="off"
            maxLength={RECEIPT_LIMITS.taxIdMax}
            value={typed.taxId}
            onValue={(value) => change({ taxId: value })}
          />
          <div className="acts">
            <button type="submit" className="btn outline" disabled={isPending}>
              {isPending ? 'Saving...' : 'Save'}
            </button>
            {kept && (
              <button type="button" className="btn quiet" disabled={isPending} onClick={() => void remove()}>
                Remove
              </button>
            )}
          </div>
        </form>
      )}
    </Part>
  )
}
