#!/bin/sh
# One task of a Slurm array: judges its share of the lines of IN and writes OUT.N; flags of `landfall batch` may follow. Submit it as
#   sbatch --wait --array=0-7 slurm-batch.sh IN OUT [--summary]
# and join the parts in order when all tasks have ended with 0:
#   for n in $(seq 0 7); do cat OUT.$n; done > OUT
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --mem=300M
#SBATCH --requeue
set -eu
share=$((SLURM_ARRAY_TASK_ID + 1)) in=$1 out=$2.$SLURM_ARRAY_TASK_ID
shift 2
# split cuts at line breaks. The output has its name only when it is whole, so a task that is killed and run again leaves nothing half-written.
split -n "l/$share/$SLURM_ARRAY_TASK_COUNT" "$in" | ${LANDFALL:-landfall} batch - -o "$out" --to ndjson --stage --threads 1 "$@"
