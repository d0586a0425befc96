import { Info } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { type AdminPackage, adminPackagesApi } from '../../contract/admin/adminpackages.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { useEnv } from '../ui/env.tsx'
import { Field } from '../ui/Field.tsx'
import { FormFooter } from '../ui/FormFooter.tsx'
import { Note } from '../ui/Note.tsx'
import { PRICE_ID_WORDS } from './adminWords.ts'
import {
  FEATURES,
  fieldsOf,
  type LIMITED,
  limitWords,
  priceWords,
  refusedFields,
  type TextField,
  typedOf,
  wrongOf,
} from './packages.ts'
import { Select } from './Select.tsx'
import type { Act } from './useAct.tsx'
import '../ui/switch.css'

interface Props {
  /** The package that is edited; undefined for a new one. */
  stored: AdminPackage | undefined
  act: (act: Act) => Promise<boolean>
  isPending: boolean
  onDone: () => void
  onClose: () => void
}

const TIERS = [
  ['free', 'Free'],
  ['premium', 'Premium'],
] as const
const UNITS = { messagesLimit: '', fileStorageGB: 'GB', videoCallMinutes: 'min' } as const

/** The form of a package. It stays open until the server has taken it, with what was typed. */
export function PackageDialog({ stored, act, isPending, onDone, onClose }: Props) {
  const env = useEnv()
  const tierId = useId()
  const [typed, setTyped] = useState(() => typedOf(stored))
  const [isTried, setTried] = useState(false)
  const [refused, setRefused] = useState<ReturnType<typeof wrongOf>>({})
  const fields = fieldsOf(typed)
  const wrong = wrongOf(typed)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    setTried(true)
    const [first] = Object.keys(wrong)
    const input = first && event.currentTarget.elements.namedItem(first)
    if (input instanceof HTMLElement) input.focus()
    if (isPending || first) return
    const form = event.currentTarget
    const sending = async (call: Promise<unknown>) => {
      try {
        return await call
      } catch (error) {
        const named = refusedFields(error)
        setRefused(named)
        const field = form.elements.namedItem(Object.keys(named)[0] ?? '')
        if (field instanceof HTMLElement) field.focus()
        throw error
      }
    }
    const isDone = await act(
      stored
        ? {
            run: () => sending(env.api(adminPackagesApi.update, { ...fields, id: stored.id })),
            done: { title: 'Package updated', text: `${typed.name.trim()} is as you have written it.` },
            failed: 'Failed to update package',
          }
        : {
            run: () => sending(env.api(adminPackagesApi.create, fields)),
            done: { title: 'Package created', text: `${typed.name.trim()} stands in the list.` },
            failed: 'Failed to create package',
          },
    )
    if (isDone) onDone()
  }

  const field = (name: TextField, label: string, help?: string) => (
    <Field
      label={label}
      name={name}
      autoComplete="off"
      dir="auto"
      value={typed[name]}
      error={(isTried ? wrong[name] : undefined) ?? refused[name]}
      help={help && <p className="small t2">{help}</p>}
      onValue={(value) => {
        setTyped((before) => ({ ...before, [name]: value }))
        // A price and its id are judged together.
        setRefused({})
      }}
      {...(name in fields && typeof fields[name] === 'number' && { inputMode: 'numeric' as const })}
      {...(name in UNITS && { placeholder: '-1 for unlimited' })}
    />
  )
  const limit = (name: (typeof LIMITED)[number], label: string) => {
    const words =
      fields[name] === 0 && name === 'messagesLimit' ? '0, and so it is not sold' : limitWords(fields[name], UNITS[name])
    const isZero = stored?.[name] === 0 && fields[name] === -1
    return field(name, label, isZero ? 'The stored value was 0; saving makes it unlimited' : words)
  }

  return (
    <Dialog title={stored ? 'Edit Package' : 'Create New Package'} onClose={() => isPending || onClose()}>
      <form className="package-form" onSubmit={submit} noValidate>
        {stored?.isBought && (
          <Note icon={Info}>
            People have paid for this package. Its tier stays and its limits can only grow, at once for everybody who has it.
            Prices count for what is bought from now on.
          </Note>
        )}
        {field('name', 'Package Name')}
        <div className="field">
          <span className="label" id={tierId}>
            Tier
          </span>
          <Select
            label="Tier"
            value={typed.tier}
            options={TIERS}
            isDisabled={stored?.isBought ?? false}
            onChange={(tier) => setTyped((before) => ({ ...before, tier }))}
          />
        </div>
        <div className="all">{field('description', 'Description')}</div>
        {field('monthlyPrice', 'Monthly Price (cents)', priceWords(fields.monthlyPrice))}
        {field('yearlyPrice', 'Yearly Price (cents)', priceWords(fields.yearlyPrice))}
        {limit('messagesLimit', 'Messages Limit')}
        {limit('fileStorageGB', 'Storage (GB)')}
        {limit('videoCallMinutes', 'Video Minutes')}
        {field('displayOrder', 'Display Order')}
        <fieldset className="all features">
          <legend>Features</legend>
          {Object.entries(FEATURES).map(([name, words]) => (
            <label key={name}>
              <input
                type="checkbox"
                role="switch"
                className="switch"
                checked={typed[name as keyof typeof FEATURES]}
                aria-checked={typed[name as keyof typeof FEATURES]}
                onChange={({ target }) => setTyped((before) => ({ ...before, [name]: target.checked }))}
              />
              {words}
            </label>
          ))}
          <p className="small t2">Labels of the package. What an account may do comes from its tier and the limits.</p>
        </fieldset>
        {field('stripePriceIdMonthly', 'Stripe Monthly Price ID', PRICE_ID_WORDS)}
        {field('stripePriceIdYearly', 'Stripe Yearly Price ID', PRICE_ID_WORDS)}
        <FormFooter
          action={stored ? 'Update Package' : 'Create Package'}
          pendingAction={stored ? 'Updating...' : 'Creating...'}
          isPending={isPending}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}
