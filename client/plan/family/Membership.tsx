import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import type { z } from 'zod'
import type { User } from '../../../contract/account/account.ts'
import { familyApi } from '../../../contract/account/family.ts'
import { hasRight } from '../../../contract/money/plans.ts'
import { AlertDialog } from '../../ui/AlertDialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { Part } from '../../ui/Part.tsx'
import { useAct } from '../../ui/useAct.tsx'
import './family.css'

type Own = z.infer<typeof familyApi.own.output>['membership']

/** The way to one's own family circle, or the circle that one is in. Nothing for who has neither. */
export function Membership({ user }: { user: User }) {
  const env = useEnv()
  const { act, isPending } = useAct()
  const [own, setOwn] = useState<Own>(null)
  const [isLeaving, setLeaving] = useState(false)
  useEffect(() => {
    const load = () =>
      void env.api(familyApi.own, {}).then(
        ({ membership }) => setOwn(membership),
        () => undefined,
      )
    load()
    return env.socket.on('account', load)
  }, [env])

  if (hasRight(user.subscriptionTier, 'family'))
    return (
      <Part title="Family circle" text="Five people with Premium’s rights, while your plan lasts.">
        <div className="acts">
          <Link className="btn outline" href="/master-plan">
            Open your family circle
          </Link>
        </div>
      </Part>
    )
  if (!own) return null
  const name = `@${own.username.toLowerCase()}`

  async function show(next: NonNullable<Own>) {
    const run = () => env.api(familyApi.setOnline, { showsOnline: next.showsOnline })
    if (await act({ run, failed: 'That was not changed' })) setOwn(next)
  }

  async function leave() {
    if (await act({ run: () => env.api(familyApi.leave, {}), failed: 'You have not left' })) setOwn(null)
    setLeaving(false)
  }

  return (
    <Part title="Family circle" text={`You are in the family circle of ${name}.`}>
      <div className="stack tight">
        <p className="small t2">
          {own.isPaid
            ? 'You have Premium’s rights while their Master plan lasts.'
            : 'Their Master plan has ended: you can read, and write again once it is paid or you have a plan of your own.'}
        </p>
        <label className="check">
          <input
            type="checkbox"
            checked={own.showsOnline}
            disabled={isPending}
            onChange={({ target: { checked } }) => void show({ ...own, showsOnline: checked })}
          />
          {name} may see when I am online
        </label>
        <div className="acts">
          <button type="button" className="btn outline" disabled={isPending} onClick={() => setLeaving(true)}>
            Leave the family circle
          </button>
        </div>
      </div>
      {isLeaving && (
        <AlertDialog
          title="Leave the family circle?"
          text="Premium’s rights from it end at once. To come back you need a new invitation."
          action="Leave"
          pendingAction="Leaving..."
          isPending={isPending}
          onConfirm={() => void leave()}
          onCancel={() => setLeaving(false)}
        />
      )}
    </Part>
  )
}
