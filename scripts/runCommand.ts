/** Prints the lines that a command returns. An error is printed as `explain` words it, and the process ends with 1. */
export async function runCommand(
  run: (words: string[]) => Promise<string[]>,
  explain: (error: unknown) => string,
): Promise<void> {
  try {
    for (const line of await run(process.argv.slice(2))) console.log(line)
  } catch (error) {
    console.error(explain(error))
    process.exit(1)
  }
}
