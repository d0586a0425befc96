import { Package, Plus } from 'lucide-react'
import { useState } from 'react'
import { type AdminPackage, adminPackagesApi } from '../../contract/admin/adminpackages.ts'
import { AlertDialog } from '../ui/AlertDialog.tsx'
import { Empty } from '../ui/Empty.tsx'
import { useEnv } from '../ui/env.tsx'
import { NotRead } from '../ui/NotRead.tsx'
import { PackageCard } from './PackageCard.tsx'
import { PackageDialog } from './PackageDialog.tsx'
import { useAct } from './useAct.tsx'
import { useLoaded } from './useLoaded.tsx'
import './packages.css'

/** What is sold beside the built-in plans: made, changed, hidden and deleted. */
export function PackagesTab() {
  const env = useEnv()
  const { value, failure, reload } = useLoaded('packages', () => env.api(adminPackagesApi.list, {}))
  const { act, isPending, dialog } = useAct()
  /** The package in the dialog; null for a new one. */
  const [edited, setEdited] = useState<AdminPackage | null>()
  const [asked, setAsked] = useState<AdminPackage>()
  if (!value) return <NotRead words="The packages could not be loaded." failure={failure ?? null} onRetry={reload} />
  const kept = value.filter(({ archivedAt }) => archivedAt === null)
  const archived = value.filter(({ archivedAt }) => archivedAt !== null)

  const toggle = ({ id, name, isActive }: AdminPackage) =>
    act({
      run: async () => {
        await env.api(adminPackagesApi.toggle, { id, isActive: !isActive })
        reload()
      },
      done: {
        title: 'Package status updated',
        text: isActive ? `${name} is hidden. Who has it keeps it.` : `${name} is shown.`,
      },
      failed: 'Failed to update package status',
    })
  const remove = ({ id, name, isBought }: AdminPackage) =>
    act({
      run: async () => {
        await env.api(adminPackagesApi.remove, { id })
        reload()
      },
      done: {
        title: 'Package deleted',
        text: isBought ? `${name} was bought before, so it is archived. Who has it keeps it.` : `${name} is gone.`,
      },
      failed: 'Failed to delete package',
    })

  return (
    <>
      <div className="bar">
        <h2>Packages</h2>
        <button type="button" className="btn primary" onClick={() => setEdited(null)}>
          <Plus className="i i-16" aria-hidden />
          Create Package
        </button>
      </div>
      {failure && <NotRead words="The packages may be out of date." failure={failure} onRetry={reload} />}
      {kept.length === 0 && (
        <Empty
          icon={Package}
          title="No packages yet"
          text="Create your first premium package to start offering paid subscriptions."
        />
      )}
      <div className="packages">
        {kept.map((each) => (
          <PackageCard
            key={each.id}
            shown={each}
            isPending={isPending}
            onEdit={() => setEdited(each)}
            onToggle={() => void toggle(each)}
            onDelete={() => setAsked(each)}
          />
        ))}
      </div>
      {archived.length > 0 && (
        <details className="more">
          <summary>Archived ({archived.length}): not sold any more, and renewed for those who have them</summary>
          <div className="packages">
            {archived.map((each) => (
              <PackageCard key={each.id} shown={each} />
            ))}
          </div>
        </details>
      )}
      {edited !== undefined && (
        <PackageDialog
          stored={edited ?? undefined}
          act={act}
          isPending={isPending}
          onDone={() => {
            setEdited(undefined)
            reload()
          }}
          onClose={() => setEdited(undefined)}
        />
      )}
      {asked && (
        <AlertDialog
          title="Are you sure you want to delete this package?"
          text={
            asked.isBought
              ? `${asked.name} was bought before: it is archived, not sold any more, and renewed for those who have it. This cannot be undone.`
              : `Nobody has bought ${asked.name}. This cannot be undone.`
          }
          action="Delete"
          pendingAction="Deleting..."
          isPending={isPending}
          onConfirm={() => void remove(asked).then(() => setAsked(undefined))}
          onCancel={() => setAsked(undefined)}
        />
      )}
      {dialog}
    </>
  )
}
