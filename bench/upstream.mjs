// The npm package on workload.json. Reads questions from standard input, one a line, and answers each with a line of JSON:
//   hello            its prompt
//   step MS          nanoseconds of assemble and render, measured for so many milliseconds
//   step_json MS     the same down to the JSON of prompt and tools
// Ends with its input. The package is that of ../conformance/upstream (`npm ci` there).
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

const require = createRequire(new URL('../conformance/upstream/package.json', import.meta.url))
const load = async (name) => import(require.resolve(name))
const { Context } = await load('@deepseek-ai/cordis')
const { default: SystemPrompt, renderPrompt } = await load('@deepseek-ai/dsh-system-prompt')

const workload = JSON.parse(readFileSync(new URL('workload.json', import.meta.url), 'utf8'))
const root = new Context()
await (await root.plugin(SystemPrompt, { persona: workload.persona, toolOrder: workload.tool_order })).await()
const prompt = root.get('systemPrompt')
for (const section of workload.sections) prompt.section(section)
// One variable changes at each step, as on the other side: of values that are made beforehand.
const changing = Array.from({ length: 16 }, (_, n) => `${workload.variables.branch}-${n}`)
let [measuring, turn] = [false, 0]
for (const [name, value] of Object.entries(workload.variables)) {
  prompt.variable(name, name === 'branch' ? () => (measuring ? changing[turn++ % changing.length] : value) : () => value)
}
prompt.tools(() => ({ schemas: workload.tools }))

const calls = {
  step: async () => renderPrompt(await prompt.assemble()),
  step_json: async () => {
    const step = await prompt.assemble()
    return JSON.stringify({ system: renderPrompt(step), tools: step.tools })
  },
}
// The compiler has seen each of them before anybody measures.
for (const call of Object.values(calls)) for (let i = 0; i < 500; i++) await call()

// The lower quartile of batches of at least a millisecond, as on the other side.
const measure = async (call, ms) => {
  const times = []
  const begun = performance.now()
  let from = begun
  while (times.length === 0 || from - begun < ms) {
    let calls = 0
    let to = from
    while (to - from < 1) {
      await call()
      calls++
      to = performance.now()
    }
    times.push(((to - from) / calls) * 1e6)
    from = performance.now()
  }
  times.sort((a, b) => a - b)
  return times[Math.floor((times.length - 1) / 4)]
}

const answer = (value) => process.stdout.write(`${JSON.stringify(value)}\n`)
for await (const line of createInterface({ input: process.stdin })) {
  const [what, ms] = line.split(' ')
  if (what === 'hello') {
    measuring = false
    answer({ prompt: await calls.step() })
  } else {
    measuring = true
    answer({ ns: await measure(calls[what], Number(ms)) })
  }
}
