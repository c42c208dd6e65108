#include "cli/options.hpp"

#include <map>

namespace ddlsim {

std::string examples_of(const std::string& command) {
  static const std::map<std::string, std::string> examples{
      {"", "Begin with:\n"
           "  ddlsim predict scenarios/iris-resnet50.json\n"
           "  ddlsim plan scenarios/plans/imagenet-90-epochs.json\n"
           "  ddlsim list clusters\n"
           "  ddlsim COMMAND --help      options and examples of a command\n"
           "Exit code: 0 done, 1 a file or a name is wrong (reported on standard error) or a threshold is exceeded, 2 "
           "wrong use."},
      {"predict",
       "Examples:\n"
       "  ddlsim predict scenarios/iris-resnet50.json --gpus 8,64 --strategy ring\n"
       "  ddlsim predict scenarios/iris-resnet50.json --set /batch_per_gpu=64 --json --output answer.json\n"
       "  ddlsim predict scenarios/iris-resnet50.json --gpus 64 --strategy ring --trace trace.json\n"
       "  ddlsim predict scenarios/*.json --csv\n"
       "  ddlsim predict scenarios/iris-resnet50.json --html page.html\n"
       "  ddlsim predict scenarios/pascal-vgg16.json --set /strategies/1/servers=best\n"
       "  ddlsim predict scenarios/iris-resnet50.json --sweep /batch_per_gpu=32,64 --sweep /cluster=iris,dgx1-v100\n"
       "Words of the answer: ddlsim explain TERM"},
      {"plan", "Examples:\n"
               "  ddlsim plan llama_3.1_8b_seq8192 --on p5,p6-b200 --price p5=60 --tokens 1T --within 30d --budget 3M\n"
               "  ddlsim plan scenarios/plans/imagenet-90-epochs.json\n"
               "  ddlsim plan scenarios/plans/imagenet-90-epochs.json --set '/limits/deadline=\"6 h\"'\n"
               "  ddlsim plan scenarios/plans/extend-iris.json --markdown --output proposal.md\n"
               "  ddlsim plan scenarios/plans/extend-iris.json --html plan.html\n"
               "Words of the answer: ddlsim explain TERM"},
      {"calibrate",
       "Examples:\n"
       "  ddlsim calibrate --cluster azure-nc24rs-v2-p100\n"
       "  ddlsim calibrate --cluster azure-nc24rs-v2-p100 --output mine.json      leaves the cluster's own as it is\n"
       "  ddlsim calibrate --cluster azure-nc24rs-v2-p100 --html page.html        parameters before and after\n"
       "  ddlsim calibrate --priors --output learnt.json                          from all sites' records\n"
       "  ddlsim calibrate --kernels --output rates.json                          from the kernel tables of all GPUs"},
      {"validate", "Examples:\n"
                   "  ddlsim validate --split T2 --html page.html\n"
                   "  ddlsim validate --cluster dlperf-v100\n"
                   "  ddlsim validate --collectives      all-reduces size by size\n"
                   "  ddlsim validate --ratios           speed-ups that state no base rate\n"
                   "  ddlsim validate --measurements rates.csv --cluster my-cluster --own-only --html page.html\n"
                   "rates.csv needs the columns model,batch_per_gpu,gpus,rate (samples/s of all GPUs together)."},
      {"diagnose",
       "Examples:\n"
       "  ddlsim diagnose scenarios/iris-resnet50.json --strategy auto --step 1=\"366 ms\" --step 16=\"640 ms\"\n"
       "  ddlsim diagnose scenarios/iris-resnet50.json --strategy auto all_reduce.log     as nccl-tests printed it\n"
       "  ddlsim diagnose all_reduce.log --cluster azure-nd-h100-v5             no scenario: the log says the rest\n"
       "  ddlsim diagnose all_reduce.log --network \"8x400 Gbps ib\"\n"
       "  ddlsim diagnose train.log --cluster iris --model resnet50_v1.5 --batch-per-gpu 64 --ranks 16 --follow\n"
       "Words of the answer: ddlsim explain TERM\n"
       "Exit code: 0 normal, 3 not normal, 1 a file or a name is wrong, 2 wrong use."},
      {"export", "Examples:\n"
                 "  ddlsim export chakra scenarios/iris-resnet50.json --gpus 8 --strategy ring --output resnet50\n"
                 "  ddlsim export simgrid scenarios/iris-resnet50.json --gpus 96 --output iris.xml"},
      {"new",
       "Examples:\n"
       "  ddlsim new cluster my-cluster --gpu H100-SXM5-80GB --gpus-per-node 8 --nodes 16 --network \"8x400 Gbps ib\"\n"
       "  ddlsim new cluster my-cluster --from-machine      reads this machine, and asks what it cannot see\n"
       "  ddlsim new cluster my-cluster --slurm nodes.txt --network 8xNDR      of what `scontrol show node` printed\n"
       "  ddlsim new gpu my-gpu --like H100 --bf16 \"800 TFLOP/s\" --memory \"94 GB\"\n"
       "  ddlsim new scenario my-question --model ./my-model.json --cluster ./my-cluster --batch 4 --precision bf16\n"
       "A cluster is a folder of its name with cluster.json; a scenario or GPU is NAME.json. Existing files "
       "are kept."},
      {"check", "Examples:\n"
                "  ddlsim check scenarios/iris-resnet50.json platforms/iris/cluster.json\n"
                "  ddlsim check platforms/*/measurements/*.jsonl"},
      {"list", "Examples:\n"
               "  ddlsim list clusters\n"
               "  ddlsim list models llama\n"
               "  ddlsim list gpus --details"},
      {"explain", "Examples:\n"
                  "  ddlsim explain straggling\n"
                  "  ddlsim explain global batch\n"
                  "  ddlsim explain                     all terms"},
      {"schema", "Examples:\n"
                 "  ddlsim schema scenario --output scenario.schema.json      for an editor\n"
                 "  ddlsim schema cluster --markdown                          a table of its keys"},
      {"import",
       "Examples:\n"
       "  ddlsim import csv rates.csv --cluster my-cluster --set transport=nccl-ib --output rates.jsonl\n"
       "  ddlsim import nccl-tests all_reduce.log --cluster my-cluster --gpu V100-SXM2-16GB --output nccl.jsonl\n"
       "  ddlsim import megatron.log --cluster my-cluster --set model=my-model --set gpus=8 --output steps.jsonl\n"
       "  ddlsim import kineto trace.json --cluster my-cluster --set batch_per_gpu=32 --layers my-net.json --output "
       "net.jsonl\n"
       "  ddlsim import hf-config config.json --sequence 4096 --output my-model.json      of Hugging Face "
       "Transformers\n"
       "A table needs the columns model,batch_per_gpu,gpus,rate (samples/s of all GPUs together); `ddlsim schema\n"
       "measurement` has all columns. Models and clusters of your own: ddlsim new --help."}};
  return examples.at(command);
}

} // namespace ddlsim
